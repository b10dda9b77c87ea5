import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests streams whose connection delivers within the subscribing call.
final class SynchronousConnectionTests: EventSourceTestCase {
    override func setUp() {
        super.setUp()
        bench.transport.enqueue(
            .repeating(Array("data: a\n\n".utf8), times: .max, headers: [.contentType: "text/event-stream"]))
    }

    func testTakeEndsAnEndlessResponse() throws {
        let data = Locked<[String]>([])
        _ = try bench.source().take(3).subscribe(onNext: { event in data.withLock { $0.append(event.data) } })
        XCTAssertEqual(data.withLock { $0 }, ["a", "a", "a"])
        XCTAssertEqual(bench.transport.abandoned.count, 1)
    }

    func testAPauseHoldsAnEndlessResponse() throws {
        let observer = PausingObserver(after: 3)
        try bench.source().asObservable().subscribe(observer, in: observer.subscription)
        XCTAssertEqual(observer.count, 3)
        XCTAssertEqual(bench.transport.paused.count, 1)
        observer.subscription.dispose()
        XCTAssertEqual(bench.transport.abandoned.count, 1)
    }

    func testTakeEndsAnEndlessResponseOfOneConnection() throws {
        let data = Locked<[String]>([])
        _ = bench.client.events(try Request(.get, "http://a/")).serverSentEvents().take(3)
            .subscribe(onNext: { event in data.withLock { $0.append(event.data) } })
        XCTAssertEqual(data.withLock { $0 }, ["a", "a", "a"])
        XCTAssertEqual(bench.transport.abandoned.count, 1)
    }

    func testAPauseHoldsAnEndlessResponseOfOneConnection() throws {
        let observer = PausingObserver(after: 3)
        bench.client.events(try Request(.get, "http://a/")).serverSentEvents()
            .subscribe(observer, in: observer.subscription)
        XCTAssertEqual(observer.count, 3)
        XCTAssertEqual(bench.transport.paused.count, 1)
        observer.subscription.dispose()
        XCTAssertEqual(bench.transport.abandoned.count, 1)
    }

    func testAnEndlessResponseOfAnotherTypeFailsAtOnce() throws {
        bench = EventSourceBench()
        bench.transport.enqueue(.repeating([1], times: .max))
        let failure = Locked<HTTPClientError?>(nil)
        _ = bench.client.events(try Request(.get, "http://a/")).serverSentEvents()
            .subscribe(onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        XCTAssertEqual(failure.withLock { $0 }?.code, .status)
    }
}

/// Pauses its subscription at an event.
private final class PausingObserver: ObserverType {
    let subscription = SerialDisposable()
    private let last: Int
    private let events = Locked(0)

    init(after last: Int) { self.last = last }

    var count: Int { events.withLock { $0 } }

    func on(_ event: Event<ServerSentEvent>) {
        let count = events.withLock { count in
            count += 1
            return count
        }
        if count == last { subscription.pause() }
    }
}
