import FreshetCore
import FreshetFoundation
import XCTest

final class QueueSchedulerTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }

    // A queue releases its work after it has run it.
    override func tearDown() {
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resources)
    }

    func testASerialQueueRunsWorkInOrder() {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let seen = Seen()
        let done = expectation(description: "all ran")
        for number in 0..<100 {
            _ = scheduler.schedule(number) { number in
                seen.append(number)
                if number == 99 { done.fulfill() }
                return Disposables.create()
            }
        }
        wait(for: [done], timeout: 30)
        XCTAssertEqual(seen.all, Array(0..<100))
    }

    func testDelayedWorkRunsWhenItIsDueAndNotWhenCancelled() {
        let schedulers: [any SchedulerType] = [
            SerialDispatchQueueScheduler(internalSerialQueueName: "test"),
            ConcurrentDispatchQueueScheduler(qos: .default),
        ]
        for scheduler in schedulers {
            let seen = Seen()
            let done = expectation(description: "ran")
            let cancelled = scheduler.scheduleRelative((), dueTime: .milliseconds(200)) { _ in
                seen.append(-1)
                return Disposables.create()
            }
            cancelled.dispose()
            let start = scheduler.now
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(250)) { _ in
                seen.append(start.duration(to: scheduler.now) >= .milliseconds(250) ? 1 : 0)
                done.fulfill()
                return Disposables.create()
            }
            wait(for: [done], timeout: 30)
            XCTAssertEqual(seen.all, [1])
        }
    }

    func testAnIntervalCountsUntilItIsDisposedOf() {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let seen = Seen()
        let done = expectation(description: "counted")
        let subscription = SerialDisposable()
        subscription.disposable = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).subscribe(onNext: {
            seen.append($0)
            if $0 == 4 {
                subscription.dispose()
                done.fulfill()
            }
        })
        wait(for: [done], timeout: 30)
        XCTAssertEqual(seen.all, [0, 1, 2, 3, 4])
    }

    func testAStreamKeepsItsOrderOnAConcurrentQueue() {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let seen = Seen()
        let done = expectation(description: "completed")
        let subject = PublishSubject<Int>()
        _ = subject.observe(on: scheduler).subscribe(onNext: { seen.append($0) }, onCompleted: { done.fulfill() })
        for number in 0..<1_000 { subject.onNext(number) }
        subject.onCompleted()
        wait(for: [done], timeout: 30)
        XCTAssertEqual(seen.all, Array(0..<1_000))
    }

    func testStreamsOnOneSerialQueueKeepTheOrderInWhichTheirEventsArrived() {
        let queue = DispatchQueue(label: "test.order")
        for scheduler in [SerialDispatchQueueScheduler(serialQueue: queue), MainScheduler.asyncInstance] {
            let (user, screen) = (PublishSubject<Int>(), PublishSubject<Int>())
            let seen = Seen()
            let done = expectation(description: "completed")
            let subscription = user.observe(on: scheduler).subscribe(onNext: { seen.append($0) })
            _ = screen.observe(on: scheduler).subscribe(onNext: { seen.append($0) }, onCompleted: { done.fulfill() })
            let sent = expectation(description: "sent")
            queue.async {
                for number in [1, 2, 10, 3, 11, 12, 4] { (number < 10 ? user : screen).onNext(number) }
                screen.onCompleted()
                sent.fulfill()
            }
            wait(for: [sent, done], timeout: 30)
            subscription.dispose()
            XCTAssertEqual(seen.all, [1, 2, 10, 3, 11, 12, 4])
        }
    }

    func testAPausedStreamOnASerialQueueDeliversItsEventsOnceItIsResumed() {
        let queue = DispatchQueue(label: "test.pause")
        let scheduler = SerialDispatchQueueScheduler(serialQueue: queue)
        let source = PublishSubject<Int>()
        let seen = Seen()
        let done = expectation(description: "completed")
        let subscription = SerialDisposable()
        subscription.disposable = source.observe(on: scheduler).subscribe(
            onNext: { seen.append($0) }, onCompleted: { done.fulfill() })
        subscription.pause()
        for number in 0..<5 { source.onNext(number) }
        queue.sync {}
        XCTAssertEqual(seen.all, [])
        subscription.resume()
        source.onNext(5)
        source.onCompleted()
        wait(for: [done], timeout: 30)
        XCTAssertEqual(seen.all, Array(0...5))
    }

    func testPausesAndBoundsOnASerialQueueLoseNoEvent() {
        let queue = DispatchQueue(label: "test.bounds")
        let scheduler = SerialDispatchQueueScheduler(serialQueue: queue)
        let seen = Seen()
        let done = expectation(description: "completed")
        let subscription = SerialDisposable()
        subscription.disposable = Observable.range(start: 0, count: 2_000).observe(on: scheduler, buffering: 2...5)
            .subscribe(onNext: { seen.append($0) }, onCompleted: { done.fulfill() })
        for _ in 0..<200 {
            subscription.pause()
            subscription.resume()
        }
        wait(for: [done], timeout: 30)
        XCTAssertEqual(seen.all, Array(0..<2_000))
    }

    func testADisposalDropsTheEventsThatAreScheduled() {
        let queue = DispatchQueue(label: "test.disposal")
        let source = PublishSubject<Int>()
        let seen = Seen()
        let subscription = SerialDisposable()
        subscription.disposable = source.observe(on: SerialDispatchQueueScheduler(serialQueue: queue))
            .subscribe(onNext: { [subscription] number in
                seen.append(number)
                if number == 1 { subscription.dispose() }
            })
        queue.suspend()
        for number in 0..<5 { source.onNext(number) }
        queue.resume()
        queue.sync {}
        XCTAssertEqual(seen.all, [0, 1])
        XCTAssertFalse(source.hasObservers)
    }

    func testEveryInitializerMakesASchedulerThatRunsWork() {
        let serial = DispatchQueue(label: "test.serial")
        let configured = Locked<String?>(nil)
        let schedulers: [any SchedulerType] = [
            SerialDispatchQueueScheduler(serialQueue: serial),
            SerialDispatchQueueScheduler(internalSerialQueueName: "test"),
            SerialDispatchQueueScheduler(
                internalSerialQueueName: "test.configured",
                serialQueueConfiguration: { queue in configured.withLock { $0 = queue.label } }),
            SerialDispatchQueueScheduler(internalSerialQueueName: "test", leeway: .milliseconds(1)),
            SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "test"),
            SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "test", leeway: .milliseconds(1)),
            SerialDispatchQueueScheduler(qos: .utility),
            SerialDispatchQueueScheduler(qos: .utility, internalSerialQueueName: "test", leeway: .milliseconds(1)),
            ConcurrentDispatchQueueScheduler(queue: serial),
            ConcurrentDispatchQueueScheduler(queue: .global(), leeway: .milliseconds(1)),
            ConcurrentDispatchQueueScheduler(qos: .background),
            ConcurrentDispatchQueueScheduler(qos: .background, leeway: .milliseconds(1)),
        ]
        XCTAssertEqual(configured.withLock { $0 }, "test.configured")
        let done = expectation(description: "all ran")
        done.expectedFulfillmentCount = schedulers.count
        for scheduler in schedulers {
            _ = scheduler.scheduleRecursive(0, dueTime: .milliseconds(1)) { count, recurse in
                if count == 2 { done.fulfill() } else { recurse(count + 1, .zero) }
            }
        }
        wait(for: [done], timeout: 30)
    }

    func testDecodeEmitsTheValueOrTheDecodingError() {
        struct Item: Decodable, Equatable { var id: Int }
        let seen = Seen()
        _ = Observable.just(Data(#"{"id": 7}"#.utf8)).decode(type: Item.self, decoder: JSONDecoder())
            .subscribe(onNext: { seen.append($0.id) })
        _ = Observable.just(Data("{}".utf8)).decode(type: Item.self, decoder: JSONDecoder())
            .subscribe(onError: { seen.append($0 is DecodingError ? -1 : 0) })
        XCTAssertEqual(seen.all, [7, -1])
    }
}

private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var numbers: [Int] = []

    var all: [Int] { lock.withLock { numbers } }
    func append(_ number: Int) { lock.withLock { numbers.append(number) } }
}
