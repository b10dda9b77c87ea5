import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class HedgingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Notes which requests ask for a connection of their own.
    private struct ConnectionLog: TransportLayer {
        let freshConnections: Locked<[Bool]>

        func wrapping(_ transport: any Transport) -> any Transport {
            ObservableTransport(unprepared: { request, receiver in
                freshConnections.withLock { $0.append(request.transfer?.freshConnection ?? false) }
                return transport.parts(request, for: receiver)
            })
        }
    }

    private final class Bench: Sendable {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server: StubTransport
        let budget: RetryBudget
        let freshConnections = Locked<[Bool]>([])
        private let client: HTTPClient

        init(retriesPerSecond: Int = 10) {
            server = StubTransport(scheduler: scheduler)
            budget = RetryBudget(ratio: 0, minimumPerSecond: retriesPerSecond, scheduler: scheduler)
            client = HTTPClient(
                transport: server, scheduler: scheduler,
                layers: [
                    Hedging(budget: budget, scheduler: scheduler), ConnectionLog(freshConnections: freshConnections),
                ])
        }

        func response(_ status: HTTPResponse.Status = .ok, after delay: Duration) -> ScriptedResponse {
            .deferred(
                Observable<Int>.timer(delay, scheduler: scheduler).asSingle()
                    .map { _ in ScriptedResponse(status: status) })
        }

        /// Twenty responses that take 10 ms each.
        func learn() {
            server.route { [self] _ in response(after: .milliseconds(10)) }
            for _ in 0..<20 { XCTAssertEqual(get(for: 10), "200") }
        }

        func get(
            _ method: HTTPRequest.Method = .get, isOneShot: Bool = false,
            interceptors: [any RequestInterceptor] = [], for milliseconds: Int
        ) -> String {
            let outcome = Locked("nothing")
            guard var request = try? Request(method, "http://a.example/") else { return "no URL" }
            request.isOneShot = isOneShot
            let subscription = client.with(interceptors: interceptors).send(request).subscribe { result in
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

    func testASecondAttemptOnItsOwnConnectionReplacesASlowResponse() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(bench.response(after: .seconds(5)), bench.response(after: .milliseconds(10)))
        XCTAssertEqual(bench.get(for: 20), "200")
        XCTAssertEqual(bench.server.requestCount, 22)
        XCTAssertEqual(bench.freshConnections.withLock { $0 }.suffix(2), [false, true])
    }

    func testAFastResponseCausesNoSecondAttempt() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(bench.response(after: .milliseconds(9)))
        XCTAssertEqual(bench.get(for: 100), "200")
        XCTAssertEqual(bench.server.requestCount, 21)
    }

    func testWithoutRecordedLatenciesNoSecondAttemptIsSent() {
        let bench = Bench()
        bench.server.enqueue(bench.response(after: .seconds(5)))
        XCTAssertEqual(bench.get(for: 5000), "200")
        XCTAssertEqual(bench.server.requestCount, 1)
    }

    func testAPOSTIsNeverSentTwice() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(bench.response(after: .seconds(5)))
        XCTAssertEqual(bench.get(.post, for: 5000), "200")
        XCTAssertEqual(bench.server.requestCount, 21)
    }

    /// A GET that acts was sent twice, although its caller, or an interceptor, forbids that.
    func testARequestThatMayBeSentOnceIsNeverSentTwice() {
        struct Forbidding: RequestInterceptor {
            func adapt(_ request: inout Request) -> Adaptation {
                request.isOneShot = true
                return .ready
            }
        }
        for isOneShot in [true, false] {
            let bench = Bench()
            bench.learn()
            bench.server.enqueue(bench.response(after: .seconds(5)))
            let outcome = bench.get(isOneShot: isOneShot, interceptors: isOneShot ? [] : [Forbidding()], for: 5000)
            XCTAssertEqual(outcome, "200")
            XCTAssertEqual(bench.server.requestCount, 21)
        }
    }

    func testAnEmptyBudgetAllowsNoSecondAttempt() {
        let bench = Bench(retriesPerSecond: 0)
        bench.learn()
        bench.server.enqueue(bench.response(after: .seconds(5)))
        XCTAssertEqual(bench.get(for: 5000), "200")
        XCTAssertEqual(bench.server.requestCount, 21)
    }

    func testAResponseThatHasBegunSpendsNothingOfTheBudget() {
        let bench = Bench()
        bench.learn()
        let body = Observable<Int>.timer(.seconds(1), scheduler: bench.scheduler).map { _ in Array("body".utf8) }
        let head = Observable<Int>.timer(.milliseconds(5), scheduler: bench.scheduler).asSingle()
        bench.server.enqueue(.deferred(head.map { _ in .streaming(body) }))
        let balance = bench.budget.balance
        XCTAssertEqual(bench.get(for: 500), "nothing")
        XCTAssertEqual(bench.budget.balance, balance)
    }

    func testAFailedSecondAttemptLeavesTheFirstRunning() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(bench.response(after: .seconds(1)), .failure(.connect, in: .connecting))
        XCTAssertEqual(bench.get(for: 1000), "200")
        XCTAssertEqual(bench.server.requestCount, 22)
    }

    func testAServerErrorIsNotUsedWhileTheOtherAttemptRuns() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(
            bench.response(after: .seconds(1)),
            bench.response(.internalServerError, after: .milliseconds(10)))
        XCTAssertEqual(bench.get(for: 1000), "200")
    }

    func testTheLastAttemptDeliversEvenAnError() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(
            bench.response(.internalServerError, after: .seconds(1)),
            bench.response(.badGateway, after: .milliseconds(10)))
        XCTAssertEqual(bench.get(for: 1000), "500")
    }

    func testAnOverloadedServerReceivesNoSecondAttempts() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(
            ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "30"]),
            bench.response(after: .seconds(5)))
        XCTAssertEqual(bench.get(for: 10), "429")
        XCTAssertEqual(bench.get(for: 5000), "200")
        XCTAssertEqual(bench.server.requestCount, 22)
        bench.scheduler.advanceBy(30_000)
        bench.server.enqueue(bench.response(after: .seconds(5)), bench.response(after: .milliseconds(10)))
        XCTAssertEqual(bench.get(for: 30), "200")
        XCTAssertEqual(bench.server.requestCount, 24)
    }

    func testACancelledRequestCancelsBothAttempts() {
        let bench = Bench()
        bench.learn()
        bench.server.enqueue(bench.response(after: .seconds(5)), bench.response(after: .seconds(5)))
        XCTAssertEqual(bench.get(for: 100), "nothing")
        XCTAssertEqual(bench.server.requestCount, 22)
    }

    func testAPercentileOutsideOfItsRangeCountsAsTheNearestInIt() {
        for (percentile, threshold) in [(-0.5, 1), (-.infinity, 1), (1.5, 20), (.infinity, 20), (.nan, 20)] {
            var window = LatencyWindow(percentile: percentile, minimumCount: 20)
            for number in 1...20 { window.add(.milliseconds(number)) }
            XCTAssertEqual(window.threshold, .milliseconds(threshold), "\(percentile)")
        }
    }

    func testTheErrorOfTheLastAttemptIsNotUnsentIfTheOtherAttemptWasSent() {
        let unsent = HTTPClientError(.connect, phase: .connecting, message: "no", isUnsent: true)
        let lost = HTTPClientError(.connectionLost, phase: .waiting, message: "no")
        let overloaded = HTTPResponse(status: .serviceUnavailable)
        let firsts: [(Event<ResponsePart>, Bool)] = [
            (.error(lost), false), (.next(.head(overloaded)), false), (.error(unsent), true),
        ]
        for (first, isUnsent) in firsts {
            var race = HedgeRace()
            race.beginSecond()
            _ = race.receive(first, of: .first)
            let actions = race.receive(.error(unsent), of: .second)
            guard case .pass(.error(let error as HTTPClientError))? = actions.last else {
                XCTFail("\(actions)")
                continue
            }
            XCTAssertEqual(error.code, .connect)
            XCTAssertEqual(error.isUnsent, isUnsent)
        }
    }
}
