import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests that the budget of a ``RetryPolicy`` bounds its retries.
final class RetryPolicyBudgetTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testRetriesStayWithinTheMinimumAndTheRatioOfTheBudget() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        for _ in 0..<500 { transport.enqueue(ScriptedResponse(status: 503)) }
        var policy = RetryPolicy(limit: 4, random: { 0 })
        policy.budget = RetryBudget(ratio: 0.1, minimumPerSecond: 1, scheduler: scheduler)
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [policy])
        let statuses = Locked<[Int]>([])
        for _ in 0..<100 {
            let subscription = client.get("http://a/").subscribe { result in
                if let status = try? result.get().status.code { statuses.withLock { $0.append(status) } }
            }
            scheduler.start()
            subscription.dispose()
        }
        XCTAssertEqual(transport.requestCount, 100 + 10 + 10)
        XCTAssertEqual(statuses.withLock { $0 }, Array(repeating: 503, count: 100), "the outcome stands")
    }

    func testARequestThatIsNotRepeatedTakesNothingFromTheBudget() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.route { _ in ScriptedResponse(status: 503) }
        var policy = RetryPolicy(limit: 1, random: { 0 })
        policy.budget = RetryBudget(ratio: 0, minimumPerSecond: 1, window: .seconds(10), scheduler: scheduler)
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [policy])
        let puts = (0..<10).map { _ in client.put("http://a/", body: .stream(.just([1]))) }
        for request in puts + [client.get("http://a/")] {
            let subscription = request.subscribe { _ in }
            scheduler.start()
            subscription.dispose()
        }
        XCTAssertEqual(transport.requestCount, 12)
    }

    func testARetryThatWouldComeAfterTheTimeoutTakesNothingFromTheBudget() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        transport.route { request in
            ScriptedResponse(status: 503, headers: request.path == "/later" ? [.retryAfter: "60"] : [:])
        }
        var policy = RetryPolicy(limit: 1, random: { 0 })
        policy.budget = RetryBudget(ratio: 0, minimumPerSecond: 1, window: .seconds(10), scheduler: scheduler)
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [policy])
        var later = try Request(.get, "http://a/later")
        later.timeout = .seconds(60)
        for request in Array(repeating: later, count: 10) + [try Request(.get, "http://a/")] {
            let subscription = client.send(request).subscribe { _ in }
            scheduler.start()
            subscription.dispose()
        }
        XCTAssertEqual(transport.requestCount, 12)
    }
}
