import Foundation
import FreshetCore
import FreshetLoop
import XCTest

final class LoopTests: LoopTestCase {
    func testWorkRunsInTheOrderOfSubmission() {
        let order = Box<[Int]>([])
        for number in 0..<1000 { loop.execute { order.update { $0.append(number) } } }
        onLoop {}
        XCTAssertEqual(order.value, Array(0..<1000))
    }

    func testWorkSubmittedOnTheLoopRunsAfterTheCurrentWorkInOrder() {
        let order = Box<[Int]>([])
        onLoop { [loop] in
            loop!.execute { order.update { $0.append(2) } }
            loop!.execute { order.update { $0.append(3) } }
            order.update { $0.append(1) }
        }
        onLoop {}
        XCTAssertEqual(order.value, [1, 2, 3])
    }

    func testAnEndlessChainOfWorkDoesNotBlockTimers() {
        let count = Box<Int>(0)
        let stop = Box<Bool>(false)
        @Sendable func again(_ loop: Loop) {
            count.update { $0 += 1 }
            if stop.value != true { loop.execute { again(loop) } }
        }
        loop.execute { [loop] in again(loop!) }
        let fired = awaiting { (done: @escaping @Sendable (Bool) -> Void) in
            _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(2)) { _ in
                stop.value = true
                done(true)
                return Disposables.create()
            }
        }
        XCTAssertTrue(fired)
        XCTAssertGreaterThan(count.value!, 0)
    }

    func testWorkOfEightThreadsRunsInTheOrderOfEachThread() {
        let sums = Box<[Int]>(Array(repeating: 0, count: 8))
        DispatchQueue.concurrentPerform(iterations: 8) { [loop] thread in
            for number in 0..<5000 {
                loop!.execute {
                    sums.update {
                        // The calls of each thread must come in order. Otherwise the number would be wrong.
                        if $0[thread] == number { $0[thread] += 1 }
                    }
                }
            }
        }
        onLoop {}
        XCTAssertEqual(sums.value, Array(repeating: 5000, count: 8))
    }

    func testIsCurrentIsTrueOnlyOnTheLoop() {
        XCTAssertFalse(loop.isCurrent)
        XCTAssertTrue(onLoop { [loop] in loop!.isCurrent })
    }

    func testShutdownRunsEarlierWorkAndRejectsLaterWork() {
        let count = Box<Int>(0)
        for _ in 0..<100 { loop.execute { count.update { $0 += 1 } } }
        loop.shutdown()
        XCTAssertEqual(count.value, 100)
        weak var captured: Box<Int>?
        do {
            let object = Box<Int>()
            captured = object
            XCTAssertFalse(loop.execute { withExtendedLifetime(object) {} })
        }
        XCTAssertNil(captured)
        loop.shutdown()
    }

    func testManyThreadsCanShutDownALoopAtOnce() {
        DispatchQueue.concurrentPerform(iterations: 4) { [loop] _ in loop!.shutdown() }
        XCTAssertFalse(loop.execute {})
    }

    func testShutdownClosesOpenHandles() throws {
        // Standard input may be a file that can't be polled.
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        defer { withExtendedLifetime(pipe) {} }
        try onLoop { [loop] in
            let timer = LoopTimer(on: loop!) { XCTFail("fired after the end") }
            timer.start(after: .seconds(3600))
            let wakeup = try LoopWakeup(on: loop!) {}
            wakeup.send()
            let poll = try LoopPoll(on: loop!, fd: descriptor) { _ in }
            XCTAssertEqual(poll.watched, [])
        }
    }

    func testAnActorRunsOnALoop() async {
        let loopActor = LoopActor(on: loop)
        for _ in 0..<100 { await loopActor.step() }
        let (count, isOnLoop) = await (loopActor.count, loopActor.wasOnLoop)
        XCTAssertEqual(count, 100)
        XCTAssertTrue(isOnLoop)
    }

    func testAnActorOfALoopRunsAfterTheShutdown() async {
        let loopActor = LoopActor(on: loop)
        await loopActor.step()
        await Task.detached { [loop] in loop!.shutdown() }.value
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await loopActor.step() } }
        }
        let count = await loopActor.count
        XCTAssertEqual(count, 51)
    }
}

private actor LoopActor {
    let loop: Loop
    var count = 0
    var wasOnLoop = true

    init(on loop: Loop) {
        self.loop = loop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func step() {
        count += 1
        wasOnLoop = wasOnLoop && loop.isCurrent
    }
}
