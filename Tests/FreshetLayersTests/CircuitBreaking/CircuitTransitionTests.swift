import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLayers
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests that a program can observe which circuits are open.
final class CircuitTransitionTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testEachTransitionOfACircuitIsReportedWithItsOrigin() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        let transitions = Locked<[String]>([])
        var settings = CircuitBreaker.Settings()
        settings.consecutiveFailures = 2
        settings.pause = .seconds(10)
        let layer = CircuitBreaking(
            settings, scheduler: scheduler,
            onTransition: { origin, phase in transitions.withLock { $0.append("\(origin) \(phase)") } },
            random: { 1 })
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [layer])
        let unavailable = ScriptedResponse(status: .serviceUnavailable)
        for (response, wait) in [
            (unavailable, 0), (unavailable, 10_000), (unavailable, 20_000), (ScriptedResponse(), 0),
        ] {
            server.enqueue(response)
            let subscription = client.get("http://a.example/").subscribe { _ in }
            scheduler.advanceBy(10 + wait)
            subscription.dispose()
        }
        XCTAssertEqual(
            transitions.withLock { $0 },
            ["open", "halfOpen", "open", "halfOpen", "closed"].map { "http://a.example \($0)" })
    }

    func testARetryOfARefusedRequestWaitsForTheRestOfThePause() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "60"]), ScriptedResponse())
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [CircuitBreaking(scheduler: scheduler)])
        let first = client.get("http://a.example/").subscribe()
        scheduler.advanceBy(10_000)
        first.dispose()
        for (longest, ends) in [(Duration.seconds(40), [0]), (nil, [50_000])] {
            var policy = RetryPolicy(limit: 1, random: { 0 })
            policy.errorCodes.insert(.circuitOpen)
            policy.longestRetryAfter = longest
            let begin = scheduler.clock
            let log = Locked<[Int]>([])
            let subscription = client.with(interceptors: [policy]).get("http://a.example/").subscribe { _ in
                log.withLock { $0.append(scheduler.clock - begin) }
            }
            scheduler.advanceBy(longest == nil ? 59_000 : 0)
            subscription.dispose()
            XCTAssertEqual(log.withLock { $0 }, ends)
        }
        XCTAssertEqual(server.requests.count, 2)
    }

    func testARefusedRequestSaysHowLongThePauseStillLasts() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "60"]))
        let transitions = Locked(0)
        let layer = CircuitBreaking(scheduler: scheduler) { _, _ in transitions.withLock { $0 += 1 } }
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [layer])
        let pauses = Locked<[Duration?]>([])
        for wait in [20_000, 30_000, 10_000] {
            let subscription = client.get("http://a.example/").subscribe(onFailure: { error in
                pauses.withLock { $0.append((error as? HTTPClientError)?.remainingPause) }
            })
            scheduler.advanceBy(wait)
            subscription.dispose()
        }
        XCTAssertEqual(pauses.withLock { $0 }, [.seconds(40), .seconds(10)])
        XCTAssertEqual(transitions.withLock { $0 }, 1, "a trailing closure is called with the transitions")
    }
}
