import FreshetCore
import FreshetTesting
import XCTest

final class RetryBudgetTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 1, simulateProcessingDelay: false)

    private func withdrawals(_ budget: RetryBudget, of count: Int) -> Int {
        (0..<count).count { _ in budget.tryWithdraw() }
    }

    func testDepositsAllowRetriesInTheGivenRatio() {
        let budget = RetryBudget(ratio: 0.2, minimumPerSecond: 0, scheduler: scheduler)
        XCTAssertFalse(budget.tryWithdraw())
        for _ in 0..<4 { budget.deposit() }
        XCTAssertFalse(budget.tryWithdraw(), "four fifths of a retry are none")
        budget.deposit()
        XCTAssertEqual(budget.balance, 1)
        XCTAssertEqual(withdrawals(budget, of: 2), 1)
        for _ in 0..<50 { budget.deposit() }
        XCTAssertEqual(withdrawals(budget, of: 20), 10)
    }

    func testADepositExpiresWithTheWindow() {
        let budget = RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(10), scheduler: scheduler)
        budget.deposit()
        scheduler.advanceTo(6)
        budget.deposit()
        XCTAssertEqual(budget.balance, 2)
        scheduler.advanceTo(9)
        XCTAssertEqual(budget.balance, 2)
        scheduler.advanceTo(10)
        XCTAssertEqual(budget.balance, 1)
        scheduler.advanceTo(1000)
        XCTAssertEqual(budget.balance, 0)
    }

    func testADepositExpiresWhenTheClockJumpsToTheEndOfTime() {
        let budget = RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(1), scheduler: scheduler)
        budget.deposit()
        scheduler.advanceTo(2_000_000_000_000_000_000)
        XCTAssertEqual(budget.balance, 0)
        budget.deposit()
        XCTAssertEqual(budget.balance, 1)
    }

    func testADepositRemainsWhenTheClockGoesBackFromTheEndOfTime() {
        let clock = MovableClock()
        clock.time.withLock { $0 = .seconds(Int64.max) }
        let budget = RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(1), scheduler: clock)
        budget.deposit()
        clock.time.withLock { $0 = .zero }
        XCTAssertEqual(budget.balance, 1)
    }

    func testTheMinimumOfRetriesIsGrantedAgainAfterTheWindow() {
        let budget = RetryBudget(ratio: 0.1, minimumPerSecond: 2, window: .seconds(10), scheduler: scheduler)
        XCTAssertEqual(budget.balance, 20)
        XCTAssertEqual(withdrawals(budget, of: 30), 20)
        scheduler.advanceTo(9)
        XCTAssertFalse(budget.tryWithdraw())
        scheduler.advanceTo(10)
        XCTAssertEqual(withdrawals(budget, of: 30), 20)
    }

    func testARatioOfZeroIgnoresDeposits() {
        let budget = RetryBudget(ratio: 0, minimumPerSecond: 1, window: .seconds(2), scheduler: scheduler)
        for _ in 0..<100 { budget.deposit() }
        XCTAssertEqual(withdrawals(budget, of: 5), 2)
    }

    func testStreamsShareABudgetAndFailAtOnceWhenItIsEmpty() {
        let budget = RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(60), scheduler: scheduler)
        let attempts = Counter()
        let source = Observable<Int>.deferred {
            attempts.increment()
            return .error(Fault.first)
        }
        let recorders = (0..<3).map { _ in Recorder<Int>() }
        for recorder in recorders {
            _ = source.retry(.delayed(.seconds(1), maxAttempts: 3), scheduler: scheduler, budget: budget)
                .subscribe(recorder)
        }
        // Each subscription has withdrawn its own deposit, so that the budget is empty at the next error.
        XCTAssertEqual(recorders.map(\.events.count), [0, 0, 0])
        scheduler.advanceTo(5)
        XCTAssertEqual(recorders.map(\.events), Array(repeating: [.error(Fault.first)], count: 3))
        XCTAssertEqual(attempts.value, 6)
    }

    func testAnErrorThatIsNotRetriedWithdrawsNothing() {
        let budget = RetryBudget(ratio: 1, minimumPerSecond: 0, scheduler: scheduler)
        let source = Observable<Int>.error(Fault.first)
        _ = source.retry(.immediate(maxAttempts: 1), scheduler: scheduler, budget: budget).record()
        _ = source.retry(.immediate(maxAttempts: 9), scheduler: scheduler, budget: budget) { _ in false }.record()
        XCTAssertEqual(budget.balance, 2)
    }

    func testEightThreadsWithdrawNoMoreThanTheBalance() {
        let budget = RetryBudget(ratio: 1, minimumPerSecond: 10, window: .seconds(10), scheduler: scheduler)
        let withdrawn = Counter()
        onThreads(8) { _ in
            for _ in 0..<50 where budget.tryWithdraw() { withdrawn.increment() }
        }
        XCTAssertEqual(withdrawn.value, 100)
    }

    func testATinyRatioCountsAsAMillionth() {
        for ratio in [1e-9, 1e-17, .leastNonzeroMagnitude] {
            let budget = RetryBudget(
                ratio: ratio, minimumPerSecond: 1_000_000, window: .seconds(60), scheduler: scheduler)
            XCTAssertEqual(budget.balance, 60_000_000)
            XCTAssertTrue(budget.tryWithdraw())
        }
    }
}

/// A clock that goes back as well. Nothing is scheduled on it.
private final class MovableClock: SchedulerType {
    let time = Locked(Duration.zero)

    var now: Instant { Instant(sinceStart: time.withLock { $0 }) }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { Disposables.create() }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { Disposables.create() }
}
