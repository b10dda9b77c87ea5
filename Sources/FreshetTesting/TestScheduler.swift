public import FreshetCore

/// A point of virtual time. Source: RxTest's `TestTime`.
public typealias TestTime = Int

/// A scheduler whose time is a number that a test advances. Source: RxTest's `TestScheduler`.
///
/// Its work runs on the thread that calls `start` or `advanceTo`, so the closures of a test may capture variables of
/// the test. Work can be scheduled from any thread.
public final class TestScheduler: SchedulerType, SteppingScheduler, @unchecked Sendable {
    /// The times of ``start(created:subscribed:disposed:create:)``, where nothing else is said.
    public enum Defaults {
        public static let created = 100
        public static let subscribed = 200
        public static let disposed = 1000
    }

    private let virtual: VirtualClock
    private let resolution: Double
    private let simulateProcessingDelay: Bool

    /// - Parameters:
    ///   - initialClock: the time at the beginning.
    ///   - resolution: how many seconds one unit of virtual time is.
    ///   - simulateProcessingDelay: whether what is scheduled for now, or before, runs one unit later.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        precondition(resolution > 0, "TestScheduler needs a resolution above zero")
        virtual = VirtualClock(initialClock)
        self.resolution = resolution
        self.simulateProcessingDelay = simulateProcessingDelay
    }

    /// The virtual time.
    public var clock: TestTime { virtual.time }

    public var now: Instant { Instant(sinceStart: .seconds(Double(clock) * resolution)) }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .zero, action: action)
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let time = clock + units(dueTime)
        let earliest = clock + (simulateProcessingDelay ? 1 : 0)
        return scheduleAbsoluteVirtual(state, time: time <= clock ? earliest : time, action: action)
    }

    /// Runs `action` after `startAfter` and then every `period`, counted from when the turn before ran, as RxTest does:
    /// with the processing delay a turn that was due at once comes a unit late, and so do all that follow.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let turns = VirtualTurns(state, on: self, period: period, action)
        turns.schedule(after: startAfter)
        return turns.next
    }

    /// Runs `action` after `dueTime` units.
    @discardableResult
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: TestTime, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(state, time: clock + dueTime, action: action)
    }

    /// Runs `action` at `time`; at once, as soon as the clock runs, if that has passed.
    @discardableResult
    public func scheduleAbsoluteVirtual<StateType>(
        _ state: StateType, time: TestTime, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        let place = virtual.insert(at: time) { item.invoke() }
        return Disposables.create(item, place)
    }

    /// Runs `action` at `time`.
    public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
        scheduleAbsoluteVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }

    /// Runs everything that is scheduled, and what that schedules, until nothing is left or ``stop()`` is called.
    public func start() {
        virtual.run(until: .max)
    }

    /// Runs everything up to `virtualTime`, which is then the time.
    public func advanceTo(_ virtualTime: TestTime) {
        if virtual.run(until: virtualTime) { virtual.set(virtualTime) }
    }

    /// Runs everything in the next `virtualInterval` units.
    public func advanceBy(_ virtualInterval: TestTime) {
        advanceTo(clock + virtualInterval)
    }

    /// Moves the clock, and runs nothing.
    public func sleep(_ virtualInterval: TestTime) {
        precondition(virtualInterval >= 0, "TestScheduler can't sleep into the past")
        virtual.set(clock + virtualInterval)
    }

    /// Ends `start` or `advanceTo` after the work that is running.
    public func stop() {
        virtual.stop()
    }

    private func units(_ interval: RxTimeInterval) -> Int {
        let (seconds, attoseconds) = interval.components
        let units = (Double(seconds) + Double(attoseconds) * 1e-18) / resolution + 0.5
        return units < Double(Int32.max) * 1000 ? Int(units) : Int(Int32.max) * 1000
    }
}
