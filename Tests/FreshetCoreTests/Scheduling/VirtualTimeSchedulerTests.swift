import FreshetCore
import XCTest

/// A converter with a tenth of a second per tick.
private struct Tenths: VirtualTimeConverterType {
    func convertFromVirtualTime(_ virtualTime: Int) -> Instant {
        Instant(sinceStart: .milliseconds(virtualTime * 100))
    }

    func convertToVirtualTime(_ time: Instant) -> Int {
        let (seconds, attoseconds) = time.sinceStart.components
        return Int(seconds) * 10 + Int(attoseconds / 100_000_000_000_000_000)
    }

    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> Double { Double(virtualTimeInterval) / 10 }
    func convertToVirtualTimeInterval(_ timeInterval: Double) -> Int { Int(timeInterval * 10) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }
}

/// A converter whose times are words. A shorter word is earlier, but all words are the same instant.
private struct Words: VirtualTimeConverterType {
    func convertFromVirtualTime(_ virtualTime: String) -> Instant { Instant(sinceStart: .zero) }
    func convertToVirtualTime(_ time: Instant) -> String { "" }
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: String) -> Double { 0 }
    func convertToVirtualTimeInterval(_ timeInterval: Double) -> String { "" }
    func offsetVirtualTime(_ time: String, offset: String) -> String { time + offset }

    func compareVirtualTime(_ lhs: String, _ rhs: String) -> VirtualTimeComparison {
        lhs.count < rhs.count ? .lessThan : lhs.count == rhs.count ? .equal : .greaterThan
    }
}

/// A scheduler that rounds each time up to a full second.
private final class FullSeconds: VirtualTimeScheduler<Tenths>, @unchecked Sendable {
    init() {
        super.init(initialClock: 0, converter: Tenths())
    }

    override func adjustScheduledTime(_ time: Int) -> Int { (time + 9) / 10 * 10 }
}

final class VirtualTimeSchedulerTests: CoreTestCase {
    private let scheduler = VirtualTimeScheduler(initialClock: 0, converter: Tenths())

    private func record(_ log: Log<Int>) -> (Int) -> any Disposable {
        { [scheduler] _ in
            log.append(scheduler.clock)
            return Disposables.create()
        }
    }

    func testTheClockCountsInTheUnitsOfTheConverter() {
        XCTAssertEqual(scheduler.now, Instant(sinceStart: .zero))
        XCTAssertEqual(scheduler.clock, 0)
        scheduler.advanceTo(13)
        XCTAssertEqual(scheduler.now, Instant(sinceStart: .milliseconds(1300)))
        scheduler.sleep(2)
        XCTAssertEqual(scheduler.clock, 15)
        scheduler.advanceBy(5)
        XCTAssertEqual(scheduler.clock, 20)
    }

    func testWorkThatIsDueNowRunsNowAndInOrder() {
        var seen: [Int] = []
        for number in 0..<3 {
            _ = scheduler.schedule(number) { number in
                seen.append(number)
                return Disposables.create()
            }
        }
        XCTAssertEqual(seen, [])
        scheduler.start()
        XCTAssertEqual(seen, [0, 1, 2])
        XCTAssertEqual(scheduler.clock, 0)
    }

    func testRelativeAndAbsoluteTimesShareOneClock() {
        let log = Log<Int>()
        scheduler.advanceTo(10)
        _ = scheduler.scheduleRelative(0, dueTime: .seconds(2), action: record(log))
        scheduler.scheduleRelativeVirtual(0, dueTime: 15, action: record(log))
        scheduler.scheduleAbsoluteVirtual(0, time: 5, action: record(log))
        scheduler.start()
        XCTAssertEqual(log.all, [10, 25, 30])
    }

    func testAdvancingRunsWorkThatIsDueUpToAndAtThatTime() {
        let log = Log<Int>()
        for time in [10, 20, 21] { scheduler.scheduleAbsoluteVirtual(0, time: time, action: record(log)) }
        scheduler.advanceTo(20)
        XCTAssertEqual(log.all, [10, 20])
        XCTAssertEqual(scheduler.clock, 20)
        scheduler.advanceTo(30)
        XCTAssertEqual(log.all, [10, 20, 21])
    }

    func testSleepingRunsNothingAndLateWorkRunsAtTheCurrentTime() {
        let log = Log<Int>()
        scheduler.scheduleAbsoluteVirtual(0, time: 10, action: record(log))
        scheduler.sleep(30)
        XCTAssertEqual(log.all, [])
        scheduler.start()
        XCTAssertEqual(log.all, [30])
    }

    func testWorkScheduledInsideWorkRuns() {
        let log = Log<Int>()
        scheduler.scheduleAbsoluteVirtual(0, time: 10) { [self] _ in
            scheduler.start()
            scheduler.scheduleRelativeVirtual(0, dueTime: 0, action: record(log))
            return scheduler.scheduleRelativeVirtual(0, dueTime: 5, action: record(log))
        }
        scheduler.start()
        XCTAssertEqual(log.all, [10, 15])
    }

    func testStopTakesEffectAfterTheRunningWork() {
        let log = Log<Int>()
        scheduler.scheduleAbsoluteVirtual(0, time: 10) { [self] _ in
            scheduler.stop()
            return Disposables.create()
        }
        scheduler.scheduleAbsoluteVirtual(0, time: 20, action: record(log))
        scheduler.start()
        XCTAssertEqual(log.all, [])
        XCTAssertEqual(scheduler.clock, 10)
        scheduler.start()
        XCTAssertEqual(log.all, [20])
    }

    func testDisposedWorkDoesNotRunAndItsReturnedDisposableIsDisposedOf() {
        let log = Log<Int>()
        scheduler.scheduleAbsoluteVirtual(0, time: 10, action: record(log)).dispose()
        let inner = BooleanDisposable()
        let outer = scheduler.scheduleAbsoluteVirtual(0, time: 10) { _ in inner }
        scheduler.start()
        XCTAssertEqual(log.all, [])
        XCTAssertFalse(inner.isDisposed)
        outer.dispose()
        XCTAssertTrue(inner.isDisposed)
    }

    func testPeriodicWorkPassesItsStateToTheNextTurn() {
        var seen: [String] = []
        let work = scheduler.schedulePeriodic(1, startAfter: .seconds(1), period: .milliseconds(500)) { [scheduler] in
            seen.append("\($0) at \(scheduler.clock)")
            return $0 * 2
        }
        scheduler.scheduleAbsoluteVirtual((), time: 22) { _ in
            work.dispose()
            return Disposables.create()
        }
        scheduler.start()
        XCTAssertEqual(seen, ["1 at 10", "2 at 15", "4 at 20"])
    }

    func testASubclassAdjustsOnlyRelativeVirtualTimes() {
        let scheduler = FullSeconds()
        var seen: [Int] = []
        let note: (Int) -> any Disposable = { _ in
            seen.append(scheduler.clock)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelative(0, dueTime: .milliseconds(1200), action: note)
        scheduler.scheduleRelativeVirtual(0, dueTime: 12, action: note)
        scheduler.start()
        XCTAssertEqual(seen, [12, 20])
    }

    func testTheConverterDefinesTheOrderOfWork() {
        let scheduler = VirtualTimeScheduler(initialClock: "", converter: Words())
        var seen: [String] = []
        for word in ["three", "a", "of", "to"] {
            scheduler.scheduleAbsoluteVirtual(word, time: word) {
                seen.append($0)
                return Disposables.create()
            }
        }
        scheduler.advanceTo("xx")
        XCTAssertEqual(seen, ["a", "of", "to"])
        scheduler.start()
        XCTAssertEqual(scheduler.clock, "three")
    }

    func testTheDescriptionListsTheTimesOfWaitingWork() {
        scheduler.scheduleAbsoluteVirtual(0, time: 10) { _ in Disposables.create() }.disposed(by: DisposeBag())
        scheduler.scheduleAbsoluteVirtual(0, time: 20) { _ in Disposables.create() }
        XCTAssertEqual(scheduler.debugDescription, "VirtualTimeScheduler<Tenths> at 0, with work for [20]")
        scheduler.start()
    }

    func testWorkIsScheduledAndCancelledFromAnyThread() {
        let count = Locked(0)
        onThreads(4) { [scheduler] thread in
            for time in 0..<500 {
                let work = scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
                    count.withLock { $0 += 1 }
                    return Disposables.create()
                }
                if time % 2 == 0 { work.dispose() }
            }
        }
        scheduler.start()
        XCTAssertEqual(count.withLock { $0 }, 1000)
    }
}
