import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class CircuitBreakingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private final class Bench {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server: StubTransport
        private let client: HTTPClient

        init() {
            server = StubTransport(scheduler: scheduler)
            server.route { _ in ScriptedResponse() }
            var settings = CircuitBreaker.Settings()
            settings.minimumCalls = 4
            client = HTTPClient(
                transport: server, scheduler: scheduler, layers: [CircuitBreaking(settings, scheduler: scheduler)])
        }

        func get(_ origin: String = "http://a.example", during milliseconds: Int = 10) -> String {
            let outcome = Locked("nothing")
            let subscription = client.get("\(origin)/").subscribe { result in
                switch result {
                case .success(let response): outcome.withLock { $0 = "\(response.status.code)" }
                case .failure(let error):
                    outcome.withLock { $0 = (error as? HTTPClientError)?.code.rawValue ?? "\(error)" }
                }
            }
            scheduler.advanceBy(milliseconds)
            subscription.dispose()
            return outcome.withLock { $0 }
        }
    }

    func testAFailingServerReceivesNoRequestsDuringThePause() {
        let bench = Bench()
        bench.server.enqueue(
            ScriptedResponse(status: .serviceUnavailable), .failure(.connectionLost, in: .waiting),
            ScriptedResponse(status: .tooManyRequests), ScriptedResponse(status: .internalServerError))
        XCTAssertEqual(
            (0..<6).map { _ in bench.get() }, ["503", "connection_lost", "429", "500", "circuit_open", "circuit_open"])
        XCTAssertEqual(bench.server.requestCount, 4)
        XCTAssertEqual(bench.get("http://b.example"), "200", "each origin has its own")
        bench.scheduler.advanceBy(5000)
        XCTAssertEqual(bench.get(), "200")
        XCTAssertEqual(bench.get(), "200")
    }

    func testClientErrorsAndCancellationsAreNotCountedAsFailures() {
        let bench = Bench()
        for _ in 0..<10 { bench.server.enqueue(ScriptedResponse(status: .notFound), .silence) }
        for number in 0..<20 { XCTAssertEqual(bench.get(), number.isMultiple(of: 2) ? "404" : "nothing") }
        XCTAssertEqual(bench.get(), "200")
    }

    func testRetryAfterKeepsTheCircuitOpen() {
        let bench = Bench()
        bench.server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "100"]))
        XCTAssertEqual(bench.get(), "503")
        bench.scheduler.advanceBy(99_000)
        XCTAssertEqual(bench.get(), "circuit_open")
        bench.scheduler.advanceBy(1000)
        XCTAssertEqual(bench.get(), "200")
    }
}
