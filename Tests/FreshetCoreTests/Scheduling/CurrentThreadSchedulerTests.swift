import XCTest

@testable import FreshetCore

private func work(_ body: @escaping @Sendable () -> Void) -> any Disposable {
    CurrentThreadScheduler.instance.schedule(()) { _ in
        body()
        return Disposables.create()
    }
}

final class CurrentThreadSchedulerTests: CoreTestCase {
    func testWorkScheduledInsideWorkRunsAfterIt() {
        let log = Locked<[Int]>([])
        let note: @Sendable (Int) -> Void = { number in log.withLock { $0.append(number) } }
        XCTAssertTrue(CurrentThreadScheduler.isScheduleRequired)
        _ = work {
            note(1)
            XCTAssertFalse(CurrentThreadScheduler.isScheduleRequired)
            _ = work {
                note(4)
                _ = work { note(6) }
            }
            note(2)
            _ = work { note(5) }
            note(3)
        }
        XCTAssertEqual(log.withLock { $0 }, [1, 2, 3, 4, 5, 6])
        XCTAssertTrue(CurrentThreadScheduler.isScheduleRequired)
    }

    func testWaitingWorkIsCancelledByItsDisposal() {
        let ran = Locked(false)
        _ = work {
            work { ran.withLock { $0 = true } }.dispose()
        }
        XCTAssertFalse(ran.withLock { $0 })
    }

    func testALongChainOfWorkDoesNotDeepenTheStack() {
        onASmallStack {
            let count = Locked(0)
            @Sendable func again() {
                if count.withLock({
                    $0 += 1; return $0
                }) < 20_000 {
                    _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                        again()
                        return Disposables.create()
                    }
                }
            }
            again()
            XCTAssertEqual(count.withLock { $0 }, 20_000)
        }
    }

    func testASequenceDisposedOfBeforeItsTurnEmitsNothing() {
        let recorder = Recorder<Int>()
        _ = work {
            Observable.of(1, 2).subscribe(recorder).dispose()
        }
        XCTAssertEqual(recorder.events, [])
    }

    func testASeparateTrampolineIsReleasedAfterItsUse() {
        weak var queue: Trampoline?
        CurrentThreadScheduler.withSeparateTrampoline { queue = CurrentThreadScheduler.trampoline }
        XCTAssertNil(queue)
    }
}
