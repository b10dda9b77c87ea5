import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests that a wrong clock of this machine changes no wait that a server asks for with a time on its own clock.
final class ServerClockTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The time of the server, 2e9 s since 1970, and ten seconds later.
    private static let now = "Wed, 18 May 2033 03:33:20 GMT"
    private static let later = "Wed, 18 May 2033 03:33:30 GMT"

    /// Returns how many seconds after a response of `status` with `headers` the server receives the next request, for clocks
    /// that are half an hour behind and ahead. A request is sent each second until one gets a response of the server.
    private func waits(
        _ status: HTTPResponse.Status, _ headers: HTTPFields,
        _ layer: (any SchedulerType, @escaping @Sendable () -> Double) -> any TransportLayer
    ) throws -> [Int?] {
        try [-1800.0, 1800].map { error in
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
            let server = StubTransport(scheduler: scheduler)
            server.route { _ in ScriptedResponse() }
            var response = ScriptedResponse(status: status)
            response.headers = headers
            response.headers[.date] = Self.now
            server.enqueue(response)
            let client = HTTPClient(
                transport: server, scheduler: scheduler,
                layers: [layer(scheduler) { 2e9 + error + scheduler.now.sinceStart / .seconds(1) }])
            let bag = DisposeBag()
            for second in 0...2000 {
                // Half a second before that second, and the first one at the beginning.
                client.send(try Request(.get, "http://a.example/")).subscribe { _ in }.disposed(by: bag)
                scheduler.advanceTo(second * 1000 + 500)
                if server.requestCount > 1 { return second }
            }
            return nil
        }
    }

    func testARateLimitIsMeasuredByTheClockOfTheServer() throws {
        for reset in ["2000000010", Self.later, "2033-05-18T03:33:30Z"] {
            let fields: HTTPFields = [
                HTTPField.Name("X-RateLimit-Remaining")!: "0", HTTPField.Name("X-RateLimit-Reset")!: reset,
            ]
            let waits = try waits(.ok, fields) { RateLimit(.learned, scheduler: $0, secondsSince1970: $1) }
            XCTAssertEqual(waits, [10, 10], reset)
        }
        let waits = try waits(.tooManyRequests, [.retryAfter: Self.later]) {
            RateLimit(.learned, scheduler: $0, secondsSince1970: $1)
        }
        for wait in waits { XCTAssertTrue((10...11).contains(try XCTUnwrap(wait)), "\(waits)") }
    }

    func testACircuitIsOpenByTheClockOfTheServer() throws {
        let waits = try waits(.serviceUnavailable, [.retryAfter: Self.later]) {
            CircuitBreaking(scheduler: $0, secondsSince1970: $1)
        }
        XCTAssertEqual(waits, [11, 11], "the first request after 10 s")
    }

    func testHedgingPausesByTheClockOfTheServer() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let head = HTTPResponse(status: .serviceUnavailable, headerFields: [.date: Self.now, .retryAfter: Self.later])
        for error in [-1800.0, 1800] {
            let hedging = Hedging(
                budget: RetryBudget(scheduler: scheduler), scheduler: scheduler, secondsSince1970: { 2e9 + error })
            XCTAssertEqual(hedging.pause(after: head), .seconds(10))
        }
    }
}
