import FreshetCore
import XCTest

final class SingleOfWorkTests: CoreTestCase {
    func testEachSubscriptionRunsTheWorkAnew() async throws {
        let runs = Locked(0)
        let single = Single<Int>.create {
            runs.withLock { runs in
                runs += 1
                return runs
            }
        }
        XCTAssertEqual(runs.withLock { $0 }, 0)
        let results = [try await single.value, try await single.value]
        XCTAssertEqual(results, [1, 2])
    }

    func testAnErrorThrownByTheWorkIsTheFailure() async {
        do {
            _ = try await Single<Int>.create { throw Fault.first }.value
            XCTFail("no failure")
        } catch {
            XCTAssertEqual(error as? Fault, .first)
        }
    }

    func testDisposingCancelsTheTask() async {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Bool.self)
        let results = Log<Int>()
        let subscription = Single<Int>.create {
            starting.yield()
            try? await Task.sleep(for: .seconds(60))
            ending.yield(Task.isCancelled)
            return 1
        }.subscribe(onSuccess: { results.append($0) })
        for await _ in started { break }
        subscription.dispose()
        for await isCancelled in ended {
            XCTAssertTrue(isCancelled)
            break
        }
        XCTAssertEqual(results.all, [])
    }

    func testADetachedTaskInheritsNothing() async throws {
        try await Mark.$name.withValue("outside") {
            let inherited = try await Single<String>.create { Mark.name }.value
            let detached = try await Single<String>.create(detached: true) { Mark.name }.value
            XCTAssertEqual([inherited, detached], ["outside", "nothing"])
        }
    }

    func testTheTaskRunsWithTheGivenPriority() async throws {
        let priority = try await Single<TaskPriority>.create(detached: true, priority: .background) {
            Task.currentPriority
        }
        .asObservable().values.reduce(into: [TaskPriority]()) { $0.append($1) }
        XCTAssertLessThanOrEqual(priority[0], Task.currentPriority)
    }
}

private enum Mark {
    @TaskLocal static var name = "nothing"
}
