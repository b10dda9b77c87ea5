import FreshetCore
import FreshetFoundation
import XCTest

final class OperationQueueSchedulerTests: XCTestCase {
    private let queue = OperationQueue()

    func testWorkRunsAsAnOperationOfTheQueue() {
        let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: .high)
        XCTAssertEqual(scheduler.queuePriority, .high)
        XCTAssertEqual(OperationQueueScheduler(operationQueue: queue).queuePriority, .normal)
        let result = Locked(false)
        _ = scheduler.schedule(queue) { queue in
            result.withLock { $0 = OperationQueue.current === queue }
            return Disposables.create()
        }
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertTrue(result.withLock { $0 })
        XCTAssertTrue(scheduler.operationQueue === queue)
    }

    func testWorkOfTheSchedulerWithTheHigherPriorityRunsFirst() {
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let log = Locked<[String]>([])
        let note: @Sendable (String) -> any Disposable = { name in
            log.withLock { $0.append(name) }
            return Disposables.create()
        }
        _ = OperationQueueScheduler(operationQueue: queue, queuePriority: .low).schedule("low", action: note)
        _ = OperationQueueScheduler(operationQueue: queue, queuePriority: .high).schedule("high", action: note)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(log.withLock { $0 }, ["high", "low"])
    }

    func testDisposedWorkDoesNotRun() {
        queue.isSuspended = true
        let hasRun = BooleanDisposable()
        let work = OperationQueueScheduler(operationQueue: queue).schedule(()) { _ in
            hasRun.dispose()
            return Disposables.create()
        }
        work.dispose()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertFalse(hasRun.isDisposed)
    }

    func testAStreamKeepsItsOrderOnAConcurrentOperationQueue() {
        let elements = Locked<[Int]>([])
        let done = expectation(description: "completed")
        _ = Observable.from(Array(0..<1000)).observe(on: OperationQueueScheduler(operationQueue: queue))
            .subscribe(onNext: { number in elements.withLock { $0.append(number) } }, onCompleted: { done.fulfill() })
        wait(for: [done], timeout: 30)
        XCTAssertEqual(elements.withLock { $0 }, Array(0..<1000))
    }
}
