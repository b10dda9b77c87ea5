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
            settings, scheduler: scheduler, random: { 1 },
            onTransition: { origin, phase in
                transitions.withLock { $0.append("\(origin) \(phase)") }
            })
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
}
