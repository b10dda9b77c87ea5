import FreshetCore
import FreshetLoop
import XCTest

/// Tests that the release of a closure or a state can call the library, and wait for the loop.
final class LoopReleaseTests: LoopTestCase {
    private final class Owner: Sendable {
        private let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void) {
            self.onRelease = onRelease
        }

        deinit { onRelease() }
    }

    /// Runs `work` on a thread, and fails if it does not end.
    private func expectEnd(of work: @escaping @Sendable () -> Void) {
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            work()
            hasEnded.signal()
        }
        XCTAssertEqual(hasEnded.wait(timeout: .now() + 20), .success, "an object is released under a lock")
    }

    func testTheReleaseOfAClosureOfPeriodicWorkCanDisposeOfTheWork() {
        let work = SerialDisposable()
        let scheduler = LoopScheduler(loop)
        do {
            let owner = Owner { work.dispose() }
            work.disposable = scheduler.schedulePeriodic(0, startAfter: .seconds(60), period: .seconds(60)) { number in
                withExtendedLifetime(owner) { number + 1 }
            }
        }
        let timer = work.disposable
        expectEnd { timer.dispose() }
        onLoop {}
    }

    func testTheReleaseOfAClosureOfALookupCanCancelTheLookup() {
        let lookup = Box<NameLookup>()
        do {
            let owner = Owner { lookup.value?.cancel() }
            lookup.value = NameLookup.start("unreachable.invalid") { _ in withExtendedLifetime(owner) {} }
        }
        expectEnd { lookup.value?.cancel() }
        lookup.value = nil
    }

    func testTheReleaseOfTheStateOfBlockingPeriodicWorkCanWaitForTheLoop() {
        let loopScheduler = LoopScheduler(loop)
        let hasRun = Box(false)
        let released = DispatchSemaphore(value: 0)
        let work = BlockingScheduler(on: loop).schedulePeriodic(
            Owner {
                // The loop has reached the next turn of the work before this timer fires.
                let isFree = DispatchSemaphore(value: 0)
                _ = loopScheduler.scheduleRelative((), dueTime: .milliseconds(5)) { _ in
                    isFree.signal()
                    return Disposables.create()
                }
                hasRun.value = isFree.wait(timeout: .now() + 10) == .success
                released.signal()
            }, startAfter: .milliseconds(1), period: .milliseconds(1)
        ) { _ in Owner {} }
        XCTAssertEqual(released.wait(timeout: .now() + 20), .success)
        XCTAssertEqual(hasRun.value, true, "the state is released under the lock for which the loop waits")
        work.dispose()
    }
}
