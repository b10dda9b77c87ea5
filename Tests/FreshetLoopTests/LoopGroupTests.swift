import Foundation
import FreshetCore
import FreshetLoop
import XCTest

final class LoopGroupTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }

    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func wait(_ semaphore: DispatchSemaphore) {
        XCTAssertEqual(semaphore.wait(timeout: .now() + 20), .success)
    }

    func testEachLoopHasItsOwnThreadAndNextReturnsThemInTurn() throws {
        let group = try LoopGroup(count: 3)
        defer { group.shutdown() }
        let threads = Box<Set<String>>([])
        let done = DispatchSemaphore(value: 0)
        for loop in group.loops {
            loop.execute {
                threads.update { _ = $0.insert("\(pthread_self())") }
                done.signal()
            }
        }
        for _ in group.loops { wait(done) }
        XCTAssertEqual(threads.value?.count, 3)
        let turns = (0..<6).map { _ in group.next() }
        for index in 0..<3 {
            XCTAssertTrue(turns[index] === group.loops[index])
            XCTAssertTrue(turns[index + 3] === group.loops[index])
        }
        XCTAssertEqual(group.loops.map(\.name), ["freshet-0", "freshet-1", "freshet-2"])
    }

    func testAGroupHasOneLoopPerCoreByDefault() throws {
        let group = try LoopGroup()
        defer { group.shutdown() }
        XCTAssertEqual(group.loops.count, LoopGroup.cores)
        XCTAssertGreaterThan(LoopGroup.cores, 0)
    }

    func testCurrentReturnsTheLoopOfTheThread() throws {
        let group = try LoopGroup(count: 2)
        defer { group.shutdown() }
        XCTAssertNil(group.current)
        let current = Box<Loop>()
        let done = DispatchSemaphore(value: 0)
        group.loops[1].execute {
            current.value = group.current
            done.signal()
        }
        wait(done)
        XCTAssertTrue(current.value === group.loops[1])
    }

    func testTheGroupSchedulerStaysOnTheCurrentLoop() throws {
        let group = try LoopGroup(count: 3)
        defer { group.shutdown() }
        let scheduler = LoopGroupScheduler(group)
        let ranOn = Box<[Loop?]>([])
        let done = DispatchSemaphore(value: 0)
        group.loops[2].execute {
            _ = scheduler.schedule(()) { _ in
                ranOn.update { $0.append(group.current) }
                return scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                    ranOn.update { $0.append(group.current) }
                    done.signal()
                    return Disposables.create()
                }
            }
        }
        wait(done)
        XCTAssertEqual(ranOn.value?.map { $0 === group.loops[2] }, [true, true])
        for _ in 0..<3 {
            _ = scheduler.schedule(()) { _ in
                ranOn.update { $0.append(group.current) }
                done.signal()
                return Disposables.create()
            }
        }
        for _ in 0..<3 { wait(done) }
        let elsewhere = ranOn.value?.suffix(3).compactMap { $0 } ?? []
        XCTAssertEqual(Set(elsewhere.map(ObjectIdentifier.init)).count, 3, "in turn from other threads")
    }

    func testADeadlineIsReachedOnTheLoopOnWhichItWasSet() throws {
        final class Target: DeadlineTarget {
            let reached: @Sendable () -> Void

            init(_ reached: @escaping @Sendable () -> Void) {
                self.reached = reached
            }

            func deadlineReached() { reached() }
        }
        let group = try LoopGroup(count: 2)
        defer { group.shutdown() }
        let scheduler: any SchedulerType = LoopGroupScheduler(group)
        for loop in group.loops {
            let ranOn = Box<[Bool]>([])
            let end = DispatchSemaphore(value: 0)
            loop.execute {
                let late = scheduler.setDeadline(
                    after: .milliseconds(1), from: scheduler.now, for: Target { XCTFail("canceled") })
                scheduler.cancel(late)
                _ = scheduler.setDeadline(
                    after: .milliseconds(2), from: scheduler.now,
                    for: Target {
                        ranOn.update { $0.append(loop.isCurrent) }
                        end.signal()
                    })
            }
            XCTAssertEqual(end.wait(timeout: .now() + 20), .success)
            XCTAssertEqual(ranOn.value, [true])
        }
    }

    func testAGroupCanBeShutDownTwice() throws {
        let group = try LoopGroup(count: 2)
        group.shutdown()
        group.shutdown()
        XCTAssertFalse(group.next().execute {})
    }
}
