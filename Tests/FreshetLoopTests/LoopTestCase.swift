import FreshetCore
import FreshetLoop
import XCTest

/// A test with a loop of its own. It fails if resources are left at its end.
class LoopTestCase: XCTestCase {
    private(set) var loop: Loop!
    private var resourcesBefore = 0

    override func setUpWithError() throws {
        resourcesBefore = Resources.total
        loop = try Loop(name: "test")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
        // A thread of a task may release the test's objects a moment after its part of the test.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resourcesBefore, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resourcesBefore)
    }

    /// Runs `work` on the loop and waits for its result.
    func onLoop<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result: Result<Value, Failure> = awaiting { done in
            loop.execute {
                do throws(Failure) { done(.success(try work())) } catch { done(.failure(error)) }
            }
        }
        return try result.get()
    }

    /// Waits until `start` calls its closure, and returns the result.
    func awaiting<Result: Sendable>(_ start: (@escaping @Sendable (Result) -> Void) -> Void) -> Result {
        let result = Box<Result>()
        let semaphore = DispatchSemaphore(value: 0)
        start {
            result.value = $0
            semaphore.signal()
        }
        XCTAssertEqual(semaphore.wait(timeout: .now() + 20), .success, "nothing came in 20 s")
        return result.value!
    }
}

/// A value that one thread writes and another reads after a semaphore or under the lock.
final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value?

    init(_ value: Value? = nil) {
        stored = value
    }

    var value: Value? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    func update(_ change: (inout Value) -> Void) {
        lock.withLock { change(&stored!) }
    }
}
