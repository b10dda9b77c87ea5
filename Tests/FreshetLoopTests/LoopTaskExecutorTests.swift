import Foundation
import FreshetCore
import FreshetLoop
import XCTest

final class LoopTaskExecutorTests: LoopTestCase {
    func testATaskThatPrefersTheExecutorRunsOnTheLoop() async {
        let loop = loop!
        let isOnLoop = await withTaskExecutorPreference(loop.taskExecutor) {
            let first = loop.isCurrent
            await Task.yield()
            async let child = Self.isOn(loop)
            return [first, loop.isCurrent, await child, loop.isCurrent]
        }
        XCTAssertEqual(isOnLoop, [true, true, true, true])
        XCTAssertFalse(loop.isCurrent)
    }

    private static func isOn(_ loop: Loop) async -> Bool { loop.isCurrent }

    func testAnActorOfTheLoopRunsOnTheLoop() async {
        let loop = loop!
        let loopActor = LoopActor(on: loop)
        let isThere = await withTaskExecutorPreference(loop.taskExecutor) {
            let isThere = await loopActor.isOnItsLoop()
            return isThere && loop.isCurrent
        }
        XCTAssertTrue(isThere)
    }

    func testAResultOfTheLoopReachesItsTaskWithoutAWakeUp() async throws {
        let loop = loop!
        let (value, wakeUps) = try await withTaskExecutorPreference(loop.taskExecutor) {
            let before = loop.wakeUps
            var sum = 0
            for number in 0..<10 {
                sum += try await Single.create { single in
                    loop.execute { single(.success(number)) }
                    return Disposables.create()
                }.value
            }
            return (sum, loop.wakeUps - before)
        }
        XCTAssertEqual(value, 45)
        XCTAssertEqual(wakeUps, 0)
    }

    func testATaskContinuesElsewhereAfterTheShutdown() async {
        let loop = loop!
        let executor = loop.taskExecutor
        let isOnLoop = await withTaskExecutorPreference(executor) {
            let before = loop.isCurrent
            await Task.detached { loop.shutdown() }.value
            return [before, loop.isCurrent]
        }
        XCTAssertEqual(isOnLoop, [true, false])
    }

    func testALoopReleasesItsExecutorAfterTheShutdown() {
        let executor = loop.taskExecutor
        XCTAssertTrue(loop.taskExecutor === executor)
        weak var left: LoopTaskExecutor?
        do { left = try? Loop(name: "short").taskExecutorOfEndedLoop() }
        XCTAssertNil(left)
    }
}

extension Loop {
    fileprivate func taskExecutorOfEndedLoop() -> LoopTaskExecutor {
        defer { shutdown() }
        return taskExecutor
    }
}

private actor LoopActor {
    private let loop: Loop

    init(on loop: Loop) {
        self.loop = loop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func isOnItsLoop() -> Bool { loop.isCurrent }
}
