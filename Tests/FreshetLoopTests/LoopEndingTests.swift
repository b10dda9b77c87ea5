import Foundation
import FreshetCore
import FreshetLoop
import XCTest

/// Tests what begins on a loop while it ends.
final class LoopEndingTests: LoopTestCase {
    /// Runs `work` in a task of the loop, when the loop's end has ended the stream that the task awaits.
    private func whileTheLoopEnds(_ work: @escaping @Sendable (Loop) async -> Void) {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let hasBegun = DispatchSemaphore(value: 0)
        let isDone = DispatchSemaphore(value: 0)
        let loop = loop!
        Task(executorPreference: loop.taskExecutor) {
            loop.execute { hasBegun.signal() }
            do { for try await _ in loop.bytes(from: descriptor).values {} } catch {}
            await work(loop)
            isDone.signal()
        }
        hasBegun.wait()
        loop.shutdown()
        XCTAssertEqual(isDone.wait(timeout: .now() + 20), .success, "the task did not go on")
        withExtendedLifetime(pipe) {}
    }

    func testAStreamThatBeginsIsAnError() {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let seen = Box<String>()
        whileTheLoopEnds { loop in
            do { for try await _ in loop.bytes(from: descriptor).values {} } catch { seen.value = "\(error)" }
        }
        XCTAssertEqual(seen.value?.hasPrefix("ECANCELED"), true, seen.value ?? "no error")
        withExtendedLifetime(pipe) {}
    }

    func testATimerThatBeginsIsReleased() {
        weak var captured: Box<Int>?
        do {
            let object = Box<Int>()
            captured = object
            whileTheLoopEnds { [object] loop in
                _ = LoopScheduler(loop).scheduleRelative((), dueTime: .seconds(100)) { [object] _ in
                    withExtendedLifetime(object) { Disposables.create() }
                }
            }
        }
        let end = ContinuousClock.now.advanced(by: .seconds(5))
        while captured != nil, ContinuousClock.now < end { sched_yield() }
        XCTAssertNil(captured)
    }

    func testSourcesOfSubscriptionsOnALoopThatHasEndedAreReleased() {
        let source = PublishSubject<Int>()
        let subscription = source.subscribe(on: LoopScheduler(loop)).subscribe()
        onLoop {}
        XCTAssertTrue(source.hasObservers)
        loop.shutdown()
        subscription.dispose()
        XCTAssertFalse(source.hasObservers)
    }

    func testObservationOnALoopThatHasEndedReleasesTheSourceAndTheElements() {
        assertThatObservationEnds(on: LoopScheduler(loop))
    }

    func testSerialObservationOnALoopThatHasEndedReleasesTheSourceAndTheElements() {
        assertThatObservationEnds(on: SerialScheduler(over: LoopScheduler(loop)))
    }

    private func assertThatObservationEnds(on scheduler: some SchedulerType, line: UInt = #line) {
        let source = PublishSubject<Box<Int>>()
        let subscription = source.observe(on: scheduler).subscribe()
        loop.shutdown()
        var elements: [Weakly] = []
        for number in 0..<3 {
            let element = Box(number)
            elements.append(Weakly(element))
            source.onNext(element)
        }
        XCTAssertTrue(elements.allSatisfy { $0.box == nil }, line: line)
        XCTAssertFalse(source.hasObservers, line: line)
        subscription.dispose()
    }

    private struct Weakly {
        weak var box: Box<Int>?

        init(_ box: Box<Int>) { self.box = box }
    }

    func testEndingsRunInTheReverseOrderOfTheirRegistration() {
        let order = Box<[Int]>([])
        onLoop { [loop = loop!] in
            let keys = (0..<6).map { number in loop.atEnd { order.update { $0.append(number) } } }
            loop.removeEnd(keys[5])
            loop.removeEnd(keys[1])
            loop.removeEnd(keys[1])
            _ = loop.atEnd { [keys] in
                loop.removeEnd(keys[3])
                order.update { $0.append(6) }
            }
        }
        loop.shutdown()
        XCTAssertEqual(order.value, [6, 4, 2, 0])
    }

    func testBlockingWorkThatBeginsIsReleased() {
        let hasRun = Box<Bool>(false)
        whileTheLoopEnds { loop in
            let work = BlockingScheduler(on: loop).schedule(()) { _ in
                hasRun.value = true
                return Disposables.create()
            }
            XCTAssertEqual((work as? any Cancelable)?.isDisposed, true)
        }
        XCTAssertEqual(hasRun.value, false)
    }
}
