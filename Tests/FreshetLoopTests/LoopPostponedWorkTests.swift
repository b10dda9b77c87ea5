import Foundation
import FreshetCore
import FreshetLoop
import XCTest

/// Tests that a loop does not wait for its sockets while work is postponed to the end of a turn.
final class LoopPostponedWorkTests: LoopTestCase {
    /// Runs `work` in a timer, whose postponed work runs last before the loop waits, and waits until it calls its closure.
    private func expectSignal(
        file: StaticString = #filePath, line: UInt = #line,
        _ work: @escaping @Sendable (Loop, @escaping @Sendable () -> Void) -> Void
    ) {
        let signal = DispatchSemaphore(value: 0)
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { [loop = loop!] _ in
            work(loop) { signal.signal() }
            return Disposables.create()
        }
        XCTAssertEqual(
            signal.wait(timeout: .now() + 5), .success, "the loop waits with postponed work", file: file, line: line)
    }

    func testWorkThatPostponedWorkPostponesRuns() {
        expectSignal { loop, signal in
            loop.afterTurn { loop.afterTurn { loop.afterTurn(signal) } }
        }
    }

    func testWorkThatPostponedWorkPostponesRunsAfterSeveralTurns() {
        expectSignal { loop, signal in
            @Sendable func again(_ count: Int) {
                if count == 0 { loop.afterTurn { loop.afterTurn(signal) } } else { loop.execute { again(count - 1) } }
            }
            again(5)
        }
    }

    func testATaskIsResumedByAResultOfPostponedWork() async throws {
        let source = PublishSubject<Int>()
        let task = Task { try await source.asSingle().value }
        while !source.hasObservers { await Task.yield() }
        let isResumed = expectation(description: "the task is resumed")
        Task {
            _ = try await task.value
            isResumed.fulfill()
        }
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { [loop = loop!] _ in
            loop.afterTurn {
                source.onNext(7)
                source.onCompleted()
            }
            return Disposables.create()
        }
        await fulfillment(of: [isResumed], timeout: 5)
    }

    func testPostponedWorkWakesAnotherLoop() throws {
        let other = try Loop(name: "other")
        defer { other.shutdown() }
        expectSignal { loop, signal in
            loop.afterTurn {
                _ = LoopScheduler(other).schedule(()) { _ in
                    signal()
                    return Disposables.create()
                }
            }
        }
    }

    func testAWriterWhosePostponedWriteResumesTheSourceResumesATask() {
        let pipe = Pipe()
        let subscription = SerialDisposable()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        expectSignal { loop, signal in
            let source = Observable<[UInt8]>.create { observer in
                observer.onNext([UInt8](repeating: 0, count: 100))
                return ResumeSignal { loop.afterTurn(signal) }
            }
            subscription.disposable = source.written(to: descriptor, on: loop, highWater: 10).subscribe()
        }
        subscription.dispose()
        onLoop {}
        withExtendedLifetime(pipe) {}
    }

    func testAThreadThatWaitsInPostponedWorkWakesTheOtherLoopFirst() throws {
        let other = try Loop(name: "other")
        let third = try Loop(name: "third")
        defer {
            other.shutdown()
            third.shutdown()
        }
        expectSignal { loop, signal in
            let hasRun = DispatchSemaphore(value: 0)
            loop.afterTurn {
                _ = third.executeAndWait {
                    if hasRun.wait(timeout: .now() + 6) == .success { signal() }
                }
            }
            _ = LoopScheduler(other).schedule(()) { _ in
                hasRun.signal()
                return Disposables.create()
            }
        }
    }
}

/// Calls a closure when it is resumed.
private final class ResumeSignal: Pausable {
    private let resumed: @Sendable () -> Void

    init(_ resumed: @escaping @Sendable () -> Void) {
        self.resumed = resumed
    }

    func pause() {}
    func resume() { resumed() }
    func dispose() {}
}
