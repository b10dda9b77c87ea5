import FreshetCore
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class RetryBudgetTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAFullPurseIsSpentTryByTry() {
        let budget = RetryBudget(capacity: 2, ratio: 0.5)
        XCTAssertEqual([budget.spend(), budget.spend(), budget.spend()], [true, true, false])
        XCTAssertEqual(budget.balance, 0)
        budget.earn()
        XCTAssertFalse(budget.spend(), "half a try is none")
        budget.earn()
        XCTAssertTrue(budget.spend())
    }

    func testAFullPurseEarnsNothing() {
        let budget = RetryBudget(capacity: 1, ratio: 1)
        for _ in 0..<5 { budget.earn() }
        XCTAssertEqual(budget.balance, 1)
    }

    func testWhileAllFailTriesAddNoMoreThanThePurseAndItsShare() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        for _ in 0..<500 { transport.enqueue(ScriptedAnswer(status: 503)) }
        var policy = RetryPolicy(limit: 4, random: { 0 })
        policy.budget = RetryBudget(capacity: 10, ratio: 0.1)
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [policy])
        let statuses = Locked<[Int]>([])
        for _ in 0..<100 {
            let subscription = client.get("http://a/").subscribe { result in
                if let status = try? result.get().status.code { statuses.withLock { $0.append(status) } }
            }
            scheduler.start()
            subscription.dispose()
        }
        XCTAssertEqual(transport.requestCount, 100 + 10 + 9, "the first request finds the purse full")
        XCTAssertEqual(statuses.withLock { $0 }, Array(repeating: 503, count: 100), "the outcome stands")
    }
}
