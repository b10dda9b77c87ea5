import FreshetCore
import FreshetLoop
import XCTest

final class LoopHandleTests: LoopTestCase {
    func testATimerIsRestartedAndStopped() {
        let fired: Int = awaiting { done in
            loop.execute { [loop] in
                let timer = Box<LoopTimer>()
                let count = Box<Int>(0)
                timer.value = LoopTimer(on: loop!) {
                    count.update { $0 += 1 }
                    if count.value! < 3 { return timer.value!.start(after: .milliseconds(1)) }
                    timer.value!.close()
                    timer.value!.start(after: .zero)
                    timer.value = nil
                    done(count.value!)
                }
                timer.value!.start(after: .seconds(3600))
                timer.value!.stop()
                timer.value!.start(after: .zero)
            }
        }
        XCTAssertEqual(fired, 3)
    }

    func testATimerThatRestartsItselfWithZeroDoesNotBlockOtherWork() {
        let timer = Box<LoopTimer>()
        let turns = Box<Int>(0)
        onLoop { [loop] in
            timer.value = LoopTimer(on: loop!) {
                turns.update { $0 += 1 }
                timer.value?.start(after: .zero)
            }
            timer.value?.start(after: .milliseconds(1))
        }
        while turns.value! < 10 { onLoop {} }
        onLoop {
            timer.value?.close()
            timer.value = nil
        }
    }

    func testStartingATimerReplacesItsPreviousDueTime() {
        let fired = Box<Int>(0)
        let timer = Box<LoopTimer>()
        onLoop { [loop] in
            timer.value = LoopTimer(on: loop!) { fired.update { $0 += 1 } }
            timer.value?.start(after: .zero)
            timer.value?.start(after: .seconds(3600))
        }
        for _ in 0..<5 { onLoop {} }
        XCTAssertEqual(fired.value, 0)
        onLoop {
            timer.value?.start(after: .zero)
            timer.value?.stop()
        }
        for _ in 0..<5 { onLoop {} }
        XCTAssertEqual(fired.value, 0)
        onLoop {
            timer.value?.start(after: .seconds(3600))
            timer.value?.start(after: .zero)
        }
        while fired.value == 0 { onLoop {} }
        onLoop {
            timer.value?.close()
            timer.value = nil
        }
        XCTAssertEqual(fired.value, 1)
    }

    func testWakeUpsFromEightThreadsArrive() throws {
        let count = Box<Int>(0)
        let wakeup = Box<LoopWakeup>()
        try onLoop { [loop] in wakeup.value = try LoopWakeup(on: loop!) { count.update { $0 += 1 } } }
        let sender = wakeup.value!
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 { sender.send() }
        }
        // The wake-up arrives on a handle of its own, before or after the loop's.
        let deadline = ContinuousClock.now + .seconds(20)
        while count.value == 0, ContinuousClock.now < deadline { sched_yield() }
        XCTAssertGreaterThan(count.value!, 0)
        XCTAssertLessThanOrEqual(count.value!, 8000)
        DispatchQueue.concurrentPerform(iterations: 8) { [loop] thread in
            if thread == 3 { loop!.execute { sender.close() } }
            for _ in 0..<1000 { sender.send() }
        }
        onLoop {}
        wakeup.value = nil
    }

    func testAPollDeliversOnlyTheWatchedEvents() throws {
        var pair: [Int32] = [0, 0]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair), 0)
        let (ours, theirs) = (pair[0], pair[1])
        defer { close(theirs) }
        let seen: [LoopPoll.Events] = awaiting { done in
            loop.execute { [loop] in
                let poll = Box<LoopPoll>()
                let seen = Box<[LoopPoll.Events]>([])
                poll.value = try? LoopPoll(on: loop!, fd: ours, events: .writable) { events in
                    seen.update { $0.append(events) }
                    if events == .writable {
                        try? poll.value!.watch(for: .readable)
                        _ = write(theirs, "x", 1)
                    } else {
                        poll.value!.close()
                        poll.value = nil
                        close(ours)
                        done(seen.value!)
                    }
                }
            }
        }
        XCTAssertEqual(seen, [.writable, .readable])
    }

    func testPollingAFileThrows() throws {
        let file = open("/etc/passwd", O_RDONLY)
        defer { close(file) }
        XCTAssertThrowsError(
            try onLoop { [loop] in _ = try LoopPoll(on: loop!, fd: file) { _ in } }
        ) { XCTAssertTrue($0 is LoopError) }
    }

    func testTheLimitOfOpenFilesIsRaisedToTheHardLimit() {
        var limit = rlimit()
        let raised = OpenFiles.raiseLimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        XCTAssertEqual(raised, Int(clamping: limit.rlim_max))
    }
}
