import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests a resume that the subscriber calls while it receives an event.
final class ResumeWithinAnEventTests: XCTestCase {
    private struct Observation: RequestInterceptor {
        let requests = Locked<[RequestInFlight]>([])

        func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
            requests.withLock { $0.append(attempt) }
            return nil
        }
    }

    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    // A transfer that sends within its resume would otherwise send everything before the subscriber could pause again.
    func testASubscriberThatPausesAtEachPartGetsOnePartForEachResume() throws {
        let start = PublishSubject<Void>()
        let parts = [ResponsePart.head(HTTPResponse(status: .ok))] + (0..<1000).map { _ in ResponsePart.body([1]) }
        let transport = ObservableTransport { _ in start.take(1).flatMap { Observable.from(parts) } }
        let observation = Observation()
        let client = HTTPClient(
            transport: transport, scheduler: TestScheduler(initialClock: 0), interceptors: [observation])
        let pausable = Locked<(any Pausable)?>(nil)
        let count = Locked(0)
        let subscription = client.events(try Request(.get, "http://a.example/")).subscribe(onNext: { event in
            switch event {
            case .body:
                count.withLock { $0 += 1 }
                pausable.withLock { $0 }?.pause()
            case .credentialChanged: pausable.withLock { $0 }?.resume()
            default: break
            }
        })
        pausable.withLock { $0 = subscription as? any Pausable }
        start.onNext(())
        for parts in 1...3 {
            XCTAssertEqual(count.withLock { $0 }, parts)
            observation.requests.withLock { $0.first }?.report(.replaced)
        }
        subscription.dispose()
        pausable.withLock { $0 = nil }
        observation.requests.withLock { $0 = [] }
    }
}
