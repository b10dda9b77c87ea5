import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// How a learned rate limit changes its rate after a 429.
final class LearnedLimitTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A client whose server responds after 0.2 seconds. Times are in seconds.
    private final class Bench {
        private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        private let server: StubTransport
        private let client: HTTPClient
        private let times = Locked<[Double]>([])
        private let bag = DisposeBag()

        init() {
            server = StubTransport(scheduler: scheduler)
            server.route { [times, scheduler] _ in
                times.withLock { $0.append(scheduler.now.sinceStart / .seconds(1)) }
                return ScriptedResponse()
            }
            client = HTTPClient(
                transport: server, scheduler: scheduler, layers: [RateLimit(.learned, scheduler: scheduler)])
        }

        func refuse(_ count: Int, _ headers: HTTPFields = [:], status: HTTPResponse.Status = .tooManyRequests) {
            for _ in 0..<count {
                server.enqueue(ScriptedResponse(status: status, headers: headers).after(.milliseconds(200)))
            }
        }

        func begin(_ count: Int) throws {
            for _ in 0..<count {
                client.send(try Request(.get, "http://a.example/")).subscribe().disposed(by: bag)
            }
        }

        func pass(_ seconds: Double) { scheduler.advanceBy(Int(seconds * 1000)) }

        /// When the requests that were not refused were sent.
        var sent: [Double] { times.withLock { $0 } }
    }

    /// As in TCP: each of eight responses halved the rate, which fell to one request in two seconds.
    func testOneThrottlingOfEightRequestsInFlightHalvesTheRateOnce() throws {
        let bench = Bench()
        bench.refuse(8)
        try bench.begin(8)
        bench.pass(0.3)
        try bench.begin(8)
        bench.pass(60)
        XCTAssertEqual(bench.sent.count, 8)
        XCTAssertEqual(bench.sent[0], 0.45, accuracy: 0.01, "eight per second were sent, so four are allowed")
        XCTAssertLessThan(bench.sent[7], 2.3)
        XCTAssertGreaterThan(bench.sent[7], 1.9)
    }

    func testARequestThatIsRefusedAfterTheRateWasHalvedHalvesItAgain() throws {
        let bench = Bench()
        bench.refuse(9)
        try bench.begin(8)
        bench.pass(0.3)
        // Sent at 0.45 and refused at 0.65.
        try bench.begin(1)
        bench.pass(0.4)
        try bench.begin(4)
        bench.pass(60)
        for (earlier, later) in zip(bench.sent, bench.sent.dropFirst()) {
            XCTAssertEqual(later - earlier, 0.5, accuracy: 0.06)
        }
        XCTAssertEqual(bench.sent.count, 4)
    }

    /// GitHub refuses a request beyond its primary limit in this way, and all that had waited were sent at once.
    func testAForbiddenRequestWithoutRemainingOnesKeepsTheRate() throws {
        let bench = Bench()
        let fields = [HTTPField.Name("X-RateLimit-Remaining")!: "0", HTTPField.Name("X-RateLimit-Reset")!: "1"]
        bench.refuse(8, HTTPFields(fields.map { HTTPField(name: $0.key, value: $0.value) }), status: .forbidden)
        try bench.begin(8)
        bench.pass(0.3)
        try bench.begin(16)
        bench.pass(60)
        XCTAssertEqual(bench.sent.count, 16)
        XCTAssertGreaterThan(bench.sent[15], 2.5)
    }

    func testARefusalThatStatesItsTimeDoesNotHalveTheRate() throws {
        let fields: [HTTPFields] = [
            [.retryAfter: "1"], [HTTPField.Name("RateLimit")!: #""default";r=0;t=1"#],
            [HTTPField.Name("X-RateLimit-Remaining")!: "0", HTTPField.Name("X-RateLimit-Reset")!: "1"],
        ]
        for fields in fields {
            let bench = Bench()
            bench.refuse(8, fields)
            try bench.begin(8)
            bench.pass(0.3)
            try bench.begin(16)
            bench.pass(60)
            XCTAssertEqual(bench.sent.count, 16, "\(fields)")
            XCTAssertGreaterThanOrEqual(bench.sent[0], 1.2, "\(fields)")
            XCTAssertLessThan(bench.sent[15], 3.5, "eight per second, as before: \(fields)")
            XCTAssertGreaterThan(bench.sent[15], 2.5, "not all at once: \(fields)")
        }
    }

    /// With a time for each request that grows with the rate, this test would take minutes.
    func testAFastRateIsMeasuredInATimeThatDoesNotGrowWithIt() {
        var limit = LearnedLimit(longestPause: .seconds(3600))
        let end = Instant(sinceStart: .seconds(15))
        for number in 0..<600_000 { limit.take(at: Instant(sinceStart: .microseconds(25 * number))) }
        limit.receive(
            .tooManyRequests, RateLimitFields([.retryAfter: "0"], at: 0), sentAt: end, at: end)
        XCTAssertEqual(limit.wait(at: end) / .microseconds(1), 25, accuracy: 0.5, "40,000 per second were sent")
    }

    /// The rate grew by 5 % for each second of the pause, to 34 requests per second.
    func testTheRateDoesNotGrowWhileNoRequestMayBeSent() throws {
        let bench = Bench()
        bench.refuse(8, [.retryAfter: "30"])
        try bench.begin(8)
        bench.pass(0.3)
        try bench.begin(16)
        bench.pass(120)
        XCTAssertEqual(bench.sent.count, 16)
        XCTAssertEqual(bench.sent[0], 30.2, accuracy: 0.01)
        XCTAssertGreaterThan(bench.sent[15], 31.5)
    }

    /// GitHub responds so when requests come too fast.
    func testRetryAfterOfA403StopsTheRequestsAsThatOfA429() throws {
        let bench = Bench()
        bench.refuse(8, [.retryAfter: "30"], status: .forbidden)
        try bench.begin(8)
        bench.pass(0.3)
        try bench.begin(16)
        bench.pass(60)
        XCTAssertEqual(bench.sent.count, 16)
        XCTAssertGreaterThan(bench.sent[0], 30)
        XCTAssertGreaterThan(bench.sent[15] - bench.sent[0], 1, "not all at once")
    }
}
