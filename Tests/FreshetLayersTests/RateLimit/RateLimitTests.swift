import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class RateLimitTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A client with a rate limit. Times are in seconds, and the wall clock begins at 2e9.
    private final class Bench {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server: StubTransport
        let times = Locked<[Double]>([])
        let outcomes = Locked<[String]>([])
        let errors = Locked<[HTTPClientError]>([])
        private let client: HTTPClient
        private let bag = DisposeBag()

        init(
            _ rule: RateLimit.Rule, maximumWait: Duration? = nil, timeout: Duration? = nil,
            interceptors: [any RequestInterceptor] = []
        ) {
            server = StubTransport(scheduler: scheduler)
            server.route { [times, scheduler] _ in
                times.withLock { $0.append((scheduler.now.sinceStart / .seconds(1) * 100).rounded() / 100) }
                return ScriptedResponse()
            }
            let layer = RateLimit(
                rule, maximumWait: maximumWait, scheduler: scheduler,
                secondsSince1970: { [scheduler] in 2e9 + scheduler.now.sinceStart / .seconds(1) })
            var configuration = HTTPClient.Configuration()
            configuration.timeout = timeout
            client = HTTPClient(
                transport: server, scheduler: scheduler, layers: [layer], interceptors: interceptors,
                configuration: configuration)
        }

        @discardableResult
        func begin(_ name: String = "", origin: String = "http://a.example", priority: Int = 0) throws -> any Disposable
        {
            var request = try Request(.get, "\(origin)/\(name)")
            request.tags[RequestPriority.self] = RequestPriority(priority)
            let subscription = client.send(request).subscribe { [outcomes, errors] result in
                switch result {
                case .success: outcomes.withLock { $0.append(name) }
                case .failure(let error):
                    if let error = error as? HTTPClientError { errors.withLock { $0.append(error) } }
                    outcomes.withLock { $0.append((error as? HTTPClientError)?.code.rawValue ?? "\(error)") }
                }
            }
            subscription.disposed(by: bag)
            return subscription
        }

        func pass(_ seconds: Double) { scheduler.advanceBy(Int(seconds * 1000)) }
        var sent: [Double] { times.withLock { $0 } }
    }

    func testAFixedRateIsKeptAfterABurst() throws {
        let bench = Bench(.fixed(perSecond: 2, burst: 3))
        for _ in 0..<6 { try bench.begin() }
        bench.pass(10)
        XCTAssertEqual(bench.sent, [0, 0, 0, 0.5, 1, 1.5])
        for _ in 0..<4 { try bench.begin() }
        bench.pass(10)
        XCTAssertEqual(bench.sent.suffix(4), [10, 10, 10, 10.5])
    }

    func testALongQueueOfRequestsThatEndAtOnceNeedsNoStack() throws {
        let bench = Bench(.learned)
        var response = ScriptedResponse()
        for (name, value) in ["Limit": "5000", "Remaining": "0", "Reset": "5"] {
            response.headers[HTTPField.Name("X-RateLimit-\(name)")!] = value
        }
        bench.server.enqueue(response)
        try bench.begin()
        for _ in 0..<2000 { try bench.begin() }
        XCTAssertEqual(bench.sent.count, 0)
        bench.pass(5)
        XCTAssertEqual(bench.sent.count, 2000)
    }

    func testEachOriginHasItsOwnRate() throws {
        let bench = Bench(.fixed(perSecond: 1))
        try bench.begin()
        try bench.begin()
        try bench.begin(origin: "http://b.example")
        bench.pass(5)
        XCTAssertEqual(bench.sent, [0, 0, 1])
    }

    func testAHigherPriorityIsSentFirst() throws {
        let bench = Bench(.fixed(perSecond: 1))
        for (name, priority) in [("a", 0), ("b", 0), ("c", 1), ("d", 0), ("e", 1)] {
            try bench.begin(name, priority: priority)
        }
        bench.pass(10)
        XCTAssertEqual(bench.outcomes.withLock { $0 }, ["a", "c", "e", "b", "d"])
    }

    func testACancelledRequestUsesNoPermit() throws {
        let bench = Bench(.fixed(perSecond: 1))
        try bench.begin("a")
        let cancelled = try bench.begin("b")
        try bench.begin("c")
        bench.pass(0.5)
        cancelled.dispose()
        bench.pass(5)
        XCTAssertEqual(bench.sent, [0, 1])
    }

    func testARequestThatIsCancelledWhenItsWaitEndsIsNotCounted() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [RateLimit(.learned, scheduler: scheduler)])
        let field = HTTPField.Name("RateLimit")!
        server.enqueue(ScriptedResponse(headers: [field: #""default";r=0;t=5"#]))
        server.route { _ in ScriptedResponse(headers: [field: #""default";r=1;t=3600"#]) }
        let request = try Request(.get, "http://a.example/")
        let first = client.send(request).subscribe()
        let cancelled = client.events(request).filter { if case .phase(.layer) = $0 { true } else { false } }.take(1)
            .subscribe()
        scheduler.advanceBy(5000)
        XCTAssertEqual(server.requestCount, 1)
        for count in 2...3 {
            let next = client.send(request).subscribe()
            scheduler.advanceBy(1000)
            XCTAssertEqual(server.requestCount, count)
            next.dispose()
        }
        first.dispose()
        cancelled.dispose()
    }

    func testAWaitThatWouldBeTooLongFailsAtOnce() throws {
        let bench = Bench(.fixed(perSecond: 1), maximumWait: .seconds(2))
        for name in ["a", "b", "c", "d", "e"] { try bench.begin(name) }
        bench.pass(0.1)
        XCTAssertEqual(bench.outcomes.withLock { $0 }.filter { $0 == "overloaded" }.count, 2)
        bench.pass(5)
        XCTAssertEqual(bench.sent.count, 3)
    }

    func testATimeoutInTheQueueSaysThatTheRequestWaited() throws {
        let bench = Bench(.fixed(perSecond: 0.1), timeout: .seconds(3))
        for _ in 0..<2 { try bench.begin() }
        bench.pass(4)
        let error = try XCTUnwrap(bench.errors.withLock { $0.first })
        XCTAssertEqual(error.code, .timeout)
        XCTAssertEqual(
            error.message,
            "the request took longer than its 3.0 seconds, and waited for a connection or for a layer that limits requests"
        )
        XCTAssertEqual(error.recoverySuggestion, .sendFewerAtOnce)
        XCTAssertTrue(error.isUnsent)
    }

    /// In other clients all requests that waited were sent at once, and got the next 429.
    func testA429IsNotFollowedByABurst() throws {
        let bench = Bench(.learned)
        bench.server.enqueue(ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "5"]))
        try bench.begin()
        bench.pass(0.1)
        for _ in 0..<4 { try bench.begin() }
        bench.pass(4.8)
        XCTAssertEqual(bench.sent.count, 0, "the scripted one is not counted")
        bench.pass(60)
        XCTAssertEqual(bench.sent.count, 4)
        for (earlier, later) in zip(bench.sent, bench.sent.dropFirst()) { XCTAssertGreaterThan(later - earlier, 0.5) }
        XCTAssertGreaterThanOrEqual(bench.sent[0], 5)
    }

    func testTheRemainingRequestsOfAWindowAreRespected() throws {
        for fields in [
            ["RateLimit": #""default";r=2;t=30"#], ["RateLimit-Remaining": "2", "RateLimit-Reset": "30"],
            ["X-RateLimit-Remaining": "2", "X-RateLimit-Reset": "2000000030"],
            ["x-ratelimit-remaining-requests": "2", "x-ratelimit-reset-requests": "30s"],
            [
                "anthropic-ratelimit-requests-remaining": "2",
                "anthropic-ratelimit-requests-reset": "2033-05-18T03:33:50Z",
            ],
        ] {
            let bench = Bench(.learned)
            var response = ScriptedResponse()
            for (name, value) in fields { response.headers[HTTPField.Name(name)!] = value }
            bench.server.enqueue(response)
            try bench.begin()
            bench.pass(0.01)
            for _ in 0..<4 { try bench.begin() }
            bench.pass(29)
            XCTAssertEqual(bench.sent.count, 2, "\(fields)")
            bench.pass(60)
            XCTAssertEqual(bench.sent.count, 4, "\(fields)")
        }
    }

    func testARequestThatLearnsNothingAfterAWindowDoesNotStopTheNextOnes() throws {
        for (response, isLearned) in [
            (.failure(.connect, in: .connecting), false), (ScriptedResponse(status: .badGateway), false),
            (ScriptedResponse(), true),
        ] {
            let bench = Bench(.learned)
            bench.server.enqueue(
                ScriptedResponse(headers: [HTTPField.Name("RateLimit")!: #""default";r=0;t=3600"#]), response)
            try bench.begin()
            bench.pass(3600)
            for _ in 0..<4 { try bench.begin() }
            bench.pass(0.5)
            XCTAssertEqual(bench.sent.count, isLearned ? 3 : 0, "the server states no window any more")
            bench.pass(1)
            XCTAssertEqual(bench.sent.count, 3)
        }
    }

    func testNoResponseStopsRequestsForLongerThanTheLimit() throws {
        for fields in [
            ["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"], ["retry-after-ms": "1e300"],
            ["RateLimit": #""default";r=0;t=1e300"#], ["RateLimit-Remaining": "0", "RateLimit-Reset": "1e300"],
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9e18"],
            ["x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "99999999999999999999d"],
            ["X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9e18"],
            ["X-RateLimit-Limit": "-1", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9e18"],
        ] {
            let bench = Bench(.learned)
            var response = ScriptedResponse(status: .tooManyRequests)
            for (name, value) in fields { response.headers[HTTPField.Name(name)!] = value }
            bench.server.enqueue(response)
            try bench.begin()
            bench.pass(0.01)
            try bench.begin()
            bench.pass(3590)
            XCTAssertEqual(bench.sent.count, 0, "\(fields)")
            bench.pass(20)
            XCTAssertEqual(bench.sent.count, 1, "\(fields)")
        }
    }

    func testNumbersThatAreNoneAreIgnored() throws {
        for fields in [
            ["retry-after-ms": "nan"], ["retry-after-ms": "inf"], ["RateLimit": #""default";r=0;t=inf"#],
            ["RateLimit-Remaining": "nan", "RateLimit-Reset": "inf"],
        ] {
            let bench = Bench(.learned)
            var response = ScriptedResponse()
            for (name, value) in fields { response.headers[HTTPField.Name(name)!] = value }
            bench.server.enqueue(response)
            try bench.begin()
            bench.pass(0.01)
            try bench.begin()
            bench.pass(1)
            XCTAssertEqual(bench.sent.count, 1, "\(fields)")
        }
    }

    func testRateLimitFieldsAreParsedInAllTheirForms() {
        func seconds(_ text: String) -> Double? { RateLimitFields.seconds(text, at: 2e9) }
        XCTAssertEqual(seconds("30"), 30)
        XCTAssertEqual(seconds("2000000030"), 30)
        XCTAssertEqual(seconds("12ms"), 0.012)
        XCTAssertEqual(seconds("6m0s"), 360)
        XCTAssertEqual(seconds("1h0m3.5s"), 3603.5)
        XCTAssertEqual(seconds("2033-05-18T03:33:30Z"), 10)
        XCTAssertEqual(seconds("Wed, 18 May 2033 03:33:30 GMT"), 10)
        for text in ["", "soon", "-5", "5x", "s"] { XCTAssertNil(seconds(text), text) }
    }

    func testEachNewTokenOfALoginCountsAgainstTheSameLimit() throws {
        struct Login: RequestInterceptor {
            func account(of request: Request) -> AccountResolution { .ready(RequestAccount(loginID: "anna")) }
        }
        struct Token: RequestInterceptor {
            let number = Locked(0)

            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.authorization] = number.withLock { number in
                    number += 1
                    return "Bearer \(number)"
                }
                return .ready
            }
        }
        let bench = Bench(.fixed(perSecond: 1, burst: 1), interceptors: [Login(), Token()])
        for _ in 0..<3 { try bench.begin() }
        bench.scheduler.start()
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 1, 2])
    }
}
