import FreshetCore
import XCTest

final class TurnEndTests: CoreTestCase {
    private final class Step: TurnWork {
        private let work: () -> Void

        init(_ work: @escaping () -> Void) {
            self.work = work
        }

        func turnEnds() { work() }
    }

    private let turnEnd = TurnEnd()

    func testDeferredWorkRunsOnceAndInOrder() {
        var order: [Int] = []
        for number in 0..<5 { turnEnd.add(Step { order.append(number) }) }
        XCTAssertEqual(order, [])
        turnEnd.run()
        turnEnd.run()
        XCTAssertEqual(order, [0, 1, 2, 3, 4])
    }

    func testWorkAddedDuringATurnEndRunsAtTheNextTurnEnd() {
        var order: [String] = []
        turnEnd.add(
            Step { [turnEnd] in
                order.append("first")
                turnEnd.add(Step { order.append("second") })
            })
        turnEnd.run()
        XCTAssertEqual(order, ["first"])
        turnEnd.run()
        XCTAssertEqual(order, ["first", "second"])
    }

    /// A work item that waits for another thread runs the work for which that thread may wait.
    func testANestedEndOfATurnRunsTheRestOfTheOuterOne() {
        var order: [String] = []
        turnEnd.add(
            Step { [turnEnd] in
                turnEnd.run()
                order.append("first")
            })
        turnEnd.add(Step { order.append("second") })
        turnEnd.run()
        XCTAssertEqual(order, ["second", "first"])
        XCTAssertTrue(turnEnd.isEmpty)
    }

    func testAThreadHasNoTurnEndUnlessOneIsSet() {
        XCTAssertNil(TurnEnd.current)
        TurnEnd.setCurrent(turnEnd)
        XCTAssertTrue(TurnEnd.current === turnEnd)
        TurnEnd.setCurrent(nil)
        XCTAssertNil(TurnEnd.current)
    }

    func testASeparateTrampolineRunsDeferredWorkFirst() {
        var order: [String] = []
        TurnEnd.setCurrent(turnEnd)
        turnEnd.add(Step { order.append("put off") })
        CurrentThreadScheduler.withSeparateTrampoline {
            XCTAssertNil(TurnEnd.current)
            order.append("apart")
        }
        TurnEnd.setCurrent(nil)
        XCTAssertEqual(order, ["put off", "apart"])
    }
}
