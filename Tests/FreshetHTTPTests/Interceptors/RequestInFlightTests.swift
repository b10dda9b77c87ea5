import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests what an interceptor can do with requests in flight.
final class RequestInFlightTests: XCTestCase {
    private var resources = 0
    private var scheduler: TestScheduler!
    private var transport: StubTransport!
    private var tracker: AttemptTracker!

    override func setUp() {
        resources = Resources.total
        scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        transport = StubTransport(scheduler: scheduler)
        tracker = AttemptTracker()
    }

    override func tearDown() {
        tracker.forget()
        scheduler = nil
        transport = nil
        tracker = nil
        XCTAssertEqual(Resources.total, resources)
    }

    private func send(_ others: [any RequestInterceptor] = []) -> Locked<[String]> {
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [tracker] + others)
        let log = Locked<[String]>([])
        let request = try? Request(.get, "http://a/x")
        _ = client.events(request!).subscribe { event in
            switch event {
            case .next(.head(let head, _)): log.withLock { $0.append("\(head.status.code)") }
            case .next(.body(let bytes)): log.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            case .next(.credentialChanged(let change)): log.withLock { $0.append("\(change)") }
            case .error(let error): log.withLock { $0.append((error as? HTTPClientError)?.code.rawValue ?? "?") }
            case .completed: log.withLock { $0.append("completed") }
            case .next: break
            }
        }
        return log
    }

    func testAnInterceptorCanEndARequestThatWaitsForItsResponse() {
        transport.enqueue(ScriptedResponse(body: "a").after(.seconds(1)))
        let log = send()
        XCTAssertEqual(tracker.trackedCount, 1)
        tracker.endAll()
        scheduler.start()
        XCTAssertEqual(log.withLock { $0 }, ["login_required"])
        XCTAssertEqual(transport.abandoned.count, 1)
        XCTAssertEqual(tracker.trackedCount, 0)
    }

    func testAnInterceptorCanEndAStreamedResponse() {
        transport.enqueue(ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(1)))
        let log = send()
        tracker.endAll()
        scheduler.start()
        XCTAssertEqual(log.withLock { $0 }, ["200", "a", "login_required"])
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testAnInterceptorCanEndARequestDuringARetryDecision() {
        transport.enqueue(ScriptedResponse(status: .unauthorized, body: "no"))
        let log = send([SlowRetrier()])
        XCTAssertEqual(tracker.trackedCount, 1)
        tracker.endAll()
        scheduler.start()
        XCTAssertEqual(log.withLock { $0 }, ["login_required"])
    }

    func testACompleteResponseIsNoLongerObserved() {
        transport.enqueue(ScriptedResponse(body: "a"))
        let log = send()
        XCTAssertEqual(tracker.trackedCount, 0)
        tracker.endAll()
        XCTAssertEqual(log.withLock { $0 }, ["200", "a", "completed"])
    }

    func testEachAttemptIsObservedSeparately() {
        transport.enqueue(.reset, ScriptedResponse(body: "a").after(.seconds(9)))
        let log = send([RetryPolicy(limit: 1, random: { 1 })])
        XCTAssertEqual(tracker.trackedCount, 0, "nothing is under way")
        scheduler.advanceTo(600)
        XCTAssertEqual(tracker.trackedCount, 1)
        tracker.first?.end(with: CancellationError())
        XCTAssertEqual(log.withLock { $0 }, [], "the first is over")
        tracker.endAll()
        XCTAssertEqual(log.withLock { $0 }, ["login_required"])
        scheduler.start()
    }

    func testARequestThatIsEndedAtOnceIsNotSent() {
        tracker.isClosed.withLock { $0 = true }
        transport.enqueue(ScriptedResponse(body: "a").after(.seconds(1)))
        let log = send()
        XCTAssertEqual(log.withLock { $0 }, ["login_required"])
        scheduler.start()
    }

    func testACredentialChangeIsReportedAndTheResponseContinues() {
        transport.enqueue(ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(1)))
        let log = send()
        tracker.first?.report(.expired)
        scheduler.start()
        tracker.first?.report(.replaced)
        XCTAssertEqual(log.withLock { $0 }, ["200", "a", "expired", "b", "completed"])
    }

    func testDisposingEndsTheObservation() {
        transport.enqueue(.silence)
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [tracker, tracker])
        let subscription = client.get("http://a/").subscribe { _ in XCTFail("told") }
        XCTAssertEqual(tracker.trackedCount, 2)
        subscription.dispose()
        XCTAssertEqual(tracker.trackedCount, 0)
        tracker.endAll()
    }
}

/// Records all requests in flight.
private final class AttemptTracker: RequestInterceptor {
    private let attempts = Locked<[(number: Int, attempt: RequestInFlight)]>([])
    private let history = Locked<[RequestInFlight]>([])
    let isClosed = Locked(false)

    var trackedCount: Int { attempts.withLock { $0.count } }
    var first: RequestInFlight? { history.withLock { $0.first } }

    func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        let number = history.withLock { history in
            history.append(attempt)
            return history.count
        }
        attempts.withLock { $0.append((number, attempt)) }
        if isClosed.withLock({ $0 }) { endAll() }
        return Disposables.create { self.attempts.withLock { $0.removeAll { $0.number == number } } }
    }

    /// Releases all recorded requests. Each of them holds its client, and the client holds its interceptors.
    func forget() { history.withLock { $0 = [] } }

    func endAll() {
        for (_, attempt) in attempts.withLock({ $0 }) {
            attempt.end(with: HTTPClientError(.loginRequired, phase: .preparing, message: "over"))
        }
    }
}

/// Never decides whether to retry.
private struct SlowRetrier: RequestInterceptor {
    func retry(_ attempt: Attempt) -> Single<RetryResult> { .never() }
}
