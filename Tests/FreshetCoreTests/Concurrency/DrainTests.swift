import FreshetCore
import XCTest

final class DrainTests: CoreTestCase {
    func testASignalIsHandledAtOnceWhenNoOtherIsBeingHandled() {
        let drain = Drain<Int>()
        var handled: [Int] = []
        drain.submit(1) { handled.append($0) }
        drain.submit(2) { handled.append($0) }
        XCTAssertEqual(handled, [1, 2])
    }

    func testASignalSubmittedInsideAHandlerIsHandledAfterThatHandler() {
        let drain = Drain<Int>()
        var log: [String] = []
        func handle(_ signal: Int) {
            log.append("begin \(signal)")
            if signal < 3 { drain.submit(signal + 1, to: handle) }
            log.append("end \(signal)")
        }
        drain.submit(1, to: handle)
        XCTAssertEqual(log, ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }

    func testASignalForABusyDrainIsHandledInItsTurnAndAFreeDrainTakesNone() {
        let drain = Drain<Int>()
        var handled: [Int] = []
        XCTAssertFalse(drain.enqueueIfBusy(1))
        drain.submit(2) { signal in
            if signal == 2 { XCTAssertTrue(drain.enqueueIfBusy(3)) }
            handled.append(signal)
        }
        XCTAssertEqual(handled, [2, 3])
        XCTAssertTrue(drain.isFree)
    }

    func testSignalsSubmittedInsideHandlersDoNotDeepenTheStack() {
        onASmallStack {
            let drain = Drain<Int>()
            var last = 0
            func handle(_ signal: Int) {
                last = signal
                if signal < 200_000 { drain.submit(signal + 1, to: handle) }
            }
            drain.submit(1, to: handle)
            XCTAssertEqual(last, 200_000)
        }
    }

    func testSignalsOfEightThreadsAreAllHandledWithoutOverlap() {
        final class State: @unchecked Sendable {
            let drain = Drain<Int>()
            // The state has no lock: the drain must keep the threads apart.
            var sum = 0
            var count = 0
            var newest = Array(repeating: -1, count: 8)
            var isOrdered = true

            func handle(_ signal: Int) {
                sum += signal
                count += 1
                let (thread, number) = signal.quotientAndRemainder(dividingBy: 10_000)
                if number <= newest[thread] { isOrdered = false }
                newest[thread] = number
            }
        }
        let state = State()
        onThreads(8) { thread in
            for number in 0..<2000 { state.drain.submit(thread * 10_000 + number, to: state.handle) }
        }
        XCTAssertEqual(state.count, 16_000)
        XCTAssertEqual(state.sum, (0..<8).reduce(0) { $0 + $1 * 10_000 * 2000 + 1999 * 1000 })
        XCTAssertTrue(state.isOrdered, "each thread's signals are handled in its order")
    }

    func testOnlyOneCallerEntersUntilItFinishesItsTurn() {
        let drain = Drain<Int>()
        var handled: [Int] = []
        XCTAssertTrue(drain.enter())
        XCTAssertFalse(drain.enter())
        XCTAssertFalse(drain.enqueue(7))
        drain.finishTurn { handled.append($0) }
        XCTAssertEqual(handled, [7])
        XCTAssertTrue(drain.enter())
        drain.finishTurn { handled.append($0) }
        XCTAssertTrue(drain.enqueue(8), "no caller holds the drain any more")
        drain.drain { handled.append($0) }
        XCTAssertEqual(handled, [7, 8])
    }
}
