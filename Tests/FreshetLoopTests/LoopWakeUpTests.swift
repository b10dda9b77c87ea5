import Foundation
import FreshetCore
import FreshetLoop
import XCTest

/// Tests how often a loop is woken, by the loop's own count.
final class LoopWakeUpTests: LoopTestCase {
    /// Runs `work` while the loop is in the middle of a timer's callback, and does not run its queue.
    private func whileTheLoopIsBlocked(_ work: () -> Void) {
        let isBlocked = DispatchSemaphore(value: 0)
        let mayContinue = DispatchSemaphore(value: 0)
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            isBlocked.signal()
            mayContinue.wait()
            return Disposables.create()
        }
        isBlocked.wait()
        work()
        mayContinue.signal()
    }

    func testABurstOfWorkFromAnotherThreadCausesOneWakeUp() {
        let count = Box<Int>(0)
        whileTheLoopIsBlocked {
            let before = loop.wakeUps
            for _ in 0..<1000 { loop.execute { count.update { $0 += 1 } } }
            XCTAssertEqual(loop.wakeUps - before, 1)
        }
        onLoop {}
        XCTAssertEqual(count.value, 1000)
    }

    func testABurstOfWorkFromEightThreadsCausesOneWakeUp() {
        let count = Box<Int>(0)
        whileTheLoopIsBlocked { [loop = loop!] in
            let before = loop.wakeUps
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<500 { _ = LoopScheduler(loop).schedule(()) { count.update { $0 += 1 } } }
            }
            XCTAssertEqual(loop.wakeUps - before, 1)
        }
        onLoop {}
        XCTAssertEqual(count.value, 4000)
    }

    func testEachBurstOfWorkForAnEmptyQueueWakesTheLoop() {
        for _ in 0..<3 {
            whileTheLoopIsBlocked {
                let before = loop.wakeUps
                for _ in 0..<10 { loop.execute {} }
                XCTAssertEqual(loop.wakeUps - before, 1)
            }
            onLoop {}
        }
    }

    func testWorkSubmittedOnTheLoopCausesNoWakeUp() {
        let order = Box<[Int]>([])
        let wakeUps: Int = awaiting { done in
            _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { [loop = loop!] _ in
                let before = loop.wakeUps
                for number in 0..<100 { loop.execute { order.update { $0.append(number) } } }
                loop.execute { done(loop.wakeUps - before) }
                return Disposables.create()
            }
        }
        XCTAssertEqual(wakeUps, 0)
        XCTAssertEqual(order.value, Array(0..<100))
    }

    func testWorkOfOtherThreadsRunsWhileTheLoopSubmitsItsOwn() {
        let stop = Box<Bool>(false)
        @Sendable func again(_ loop: Loop) {
            if stop.value == false { loop.execute { again(loop) } }
        }
        loop.execute { [loop = loop!] in again(loop) }
        for _ in 0..<100 { onLoop {} }
        stop.value = true
        onLoop {}
    }
}

extension LoopScheduler {
    fileprivate func schedule(_ state: Void, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        schedule(state) { _ in
            work()
            return Disposables.create()
        }
    }
}
