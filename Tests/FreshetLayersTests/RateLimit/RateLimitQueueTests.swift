import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class RateLimitQueueTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testOnlyARequestThatHasWaitedReportsAWait() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let queue = RateLimitQueue(
            .fixed(perSecond: 2, burst: 2), maximumWait: nil, longestPause: .seconds(3600),
            scheduler: BusyScheduler(scheduler))
        let waits = Locked<[Duration]>([])
        for _ in 0..<3 {
            let turn = queue.turn(of: try Request(.get, "http://a.example/"), RateLimitPermit())
            _ = turn.subscribe(onNext: { wait in waits.withLock { $0.append(wait) } })
        }
        scheduler.advanceBy(1000)
        XCTAssertEqual(waits.withLock { $0.map { $0 > .zero } }, [false, false, true])
    }

    func testARequestThatLeavesDoesNotLengthenTheNextBurst() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let queue = RateLimitQueue(
            .fixed(perSecond: 1000, burst: 1), maximumWait: nil, longestPause: .seconds(3600), scheduler: scheduler)
        let sent = Locked(0)
        let request = try Request(.get, "http://a.example/")
        func begin() -> any Disposable {
            queue.turn(of: request, RateLimitPermit()).subscribe(onNext: { _ in sent.withLock { $0 += 1 } })
        }
        _ = begin()
        begin().dispose()
        scheduler.advanceTo(20)
        for _ in 0..<20 { _ = begin() }
        XCTAssertEqual(sent.withLock { $0 }, 2)
        scheduler.advanceBy(1000)
        XCTAssertEqual(sent.withLock { $0 }, 21)
    }

    func testAnEarlierTimeThatIsLearnedWhileATimerIsSetCounts() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let busy = BusyScheduler(scheduler)
        let queue = RateLimitQueue(.learned, maximumWait: nil, longestPause: .seconds(3600), scheduler: busy)
        @Sendable
        func receive(reset: Int) {
            let fields: HTTPFields = [HTTPField.Name("RateLimit")!: "\"default\";r=0;t=\(reset)"]
            queue.receive((.ok, RateLimitFields(fields, at: 0)), sentAt: scheduler.now)
        }
        receive(reset: 30)
        // As another thread would, between the decision and the timer.
        busy.work.withLock { $0 = { receive(reset: 1) } }
        let sent = Locked<[Int]>([])
        let turn = queue.turn(of: try Request(.get, "http://a.example/"), RateLimitPermit())
        _ = turn.subscribe(onNext: { _ in sent.withLock { $0.append(scheduler.clock) } })
        scheduler.advanceBy(2000)
        XCTAssertEqual(sent.withLock { $0.count }, 1)
        scheduler.advanceBy(60_000)
    }

    /// Such a wait was no number of seconds that a `Duration` has.
    func testARequestThatWaitsForAgesWaits() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let queue = RateLimitQueue(
            .fixed(perSecond: 1e-300, burst: 1), maximumWait: nil, longestPause: .seconds(3600), scheduler: scheduler)
        let begun = Locked(0)
        let turns = try (0..<3).map { _ in
            queue.turn(of: try Request(.get, "http://a.example/"), RateLimitPermit())
                .subscribe(onNext: { _ in begun.withLock { $0 += 1 } })
        }
        scheduler.advanceBy(1000)
        XCTAssertEqual(begun.withLock { $0 }, 1)
        turns.forEach { $0.dispose() }
    }

    /// Such a wait was no whole number of seconds that the error could state.
    func testARequestThatWouldWaitForAgesIsRefusedAlsoWithoutALongestPause() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        for maximumWait in [Duration.seconds(1), nil] {
            let queue = RateLimitQueue(
                .learned, maximumWait: maximumWait, longestPause: .seconds(Int64.max), scheduler: scheduler)
            let fields = RateLimitFields([HTTPField.Name("Retry-After-MS")!: "1e300"], at: 0)
            queue.receive((.tooManyRequests, fields), sentAt: scheduler.now)
            let codes = Locked<[HTTPClientError.Code?]>([])
            let turn = queue.turn(of: try Request(.get, "http://a.example/"), RateLimitPermit())
                .subscribe(onError: { error in codes.withLock { $0.append((error as? HTTPClientError)?.code) } })
            scheduler.advanceBy(1000)
            XCTAssertEqual(codes.withLock { $0 }, maximumWait == nil ? [] : [.overloaded])
            turn.dispose()
        }
    }

    func testRequestsAreAdmittedByTheirPriorityAndThenInTheirOrder() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let queue = RateLimitQueue(
            .fixed(perSecond: 1, burst: 1), maximumWait: nil, longestPause: .seconds(3600), scheduler: scheduler)
        let begun = Locked<[Int]>([])
        let turns = try [0, 1, 0, 2, 1, 0].enumerated().map { number, priority in
            var request = try Request(.get, "http://a.example/")
            request.tags[RequestPriority.self] = RequestPriority(priority)
            return queue.turn(of: request, RateLimitPermit())
                .subscribe(onNext: { _ in begun.withLock { $0.append(number) } })
        }
        turns[4].dispose()
        scheduler.advanceBy(10_000)
        XCTAssertEqual(begun.withLock { $0 }, [0, 3, 1, 2, 5])
    }

    /// A clock that has moved on whenever it is read, as a real one, and that runs some work when its first timer is set.
    private struct BusyScheduler: SchedulerType {
        let work = Locked<(@Sendable () -> Void)?>(nil)
        private let scheduler: TestScheduler
        private let readings = Locked(0)

        init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

        var now: Instant {
            let reading = readings.withLock { readings in
                readings += 1
                return readings
            }
            return scheduler.now.advanced(by: .microseconds(reading))
        }

        func schedule<Value: Sendable>(_ state: Value, action: @escaping @Sendable (Value) -> any Disposable)
            -> any Disposable
        {
            scheduler.schedule(state, action: action)
        }

        func scheduleRelative<Value: Sendable>(
            _ state: Value, dueTime: Duration, action: @escaping @Sendable (Value) -> any Disposable
        ) -> any Disposable {
            work.withLock { $0.take() }?()
            return scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
        }
    }
}
