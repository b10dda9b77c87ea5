import FreshetCore
import FreshetTesting
import XCTest

final class RetryBudgetTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)

    func testTokensComeBackOneByOneUpToTheCapacity() {
        let budget = RetryBudget(capacity: 3, refillInterval: .seconds(10), scheduler: scheduler)
        XCTAssertEqual((0..<4).map { _ in budget.take() }, [true, true, true, false])
        scheduler.advanceTo(9)
        XCTAssertFalse(budget.take())
        scheduler.advanceTo(25)
        XCTAssertEqual(budget.tokens, 2)
        XCTAssertEqual((0..<3).map { _ in budget.take() }, [true, true, false])
        // The half token of before is not lost.
        scheduler.advanceTo(30)
        XCTAssertEqual(budget.tokens, 1)
        scheduler.advanceTo(1000)
        XCTAssertEqual(budget.tokens, 3)
        XCTAssertTrue(budget.take())
        scheduler.advanceTo(1009)
        XCTAssertEqual(budget.tokens, 2)
        scheduler.advanceTo(1010)
        XCTAssertEqual(budget.tokens, 3)
    }

    func testStreamsShareABudgetAndFailAtOnceWithoutIt() {
        let budget = RetryBudget(capacity: 3, refillInterval: .seconds(1000), scheduler: scheduler)
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
        // Each has taken a token; the next error finds none.
        XCTAssertEqual(recorders.map(\.events.count), [0, 0, 0])
        scheduler.advanceTo(5)
        XCTAssertEqual(recorders.map(\.events), Array(repeating: [.error(Fault.first)], count: 3))
        XCTAssertEqual(attempts.value, 6)
    }

    func testAnErrorThatIsNotTriedAgainTakesNothing() {
        let budget = RetryBudget(capacity: 1, refillInterval: .seconds(1), scheduler: scheduler)
        let source = Observable<Int>.error(Fault.first)
        _ = source.retry(.immediate(maxAttempts: 1), scheduler: scheduler, budget: budget).record()
        _ = source.retry(.immediate(maxAttempts: 9), scheduler: scheduler, budget: budget) { _ in false }.record()
        XCTAssertEqual(budget.tokens, 1)
    }

    func testEightThreadsTakeNoMoreThanThereIs() {
        let budget = RetryBudget(capacity: 100, refillInterval: .seconds(1), scheduler: scheduler)
        let taken = Counter()
        onThreads(8) { _ in
            for _ in 0..<50 where budget.take() { taken.increment() }
        }
        XCTAssertEqual(taken.value, 100)
    }

    func testAnEmptyBudgetNeverLends() {
        let budget = RetryBudget(capacity: 0, refillInterval: .seconds(1), scheduler: scheduler)
        scheduler.advanceTo(100)
        XCTAssertFalse(budget.take())
    }
}
