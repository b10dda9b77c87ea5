/// A scheduler whose clock advances only when the program advances it. Source: RxSwift's `VirtualTimeScheduler`.
///
/// Its work runs on the thread that calls ``start()`` or ``advanceTo(_:)``, so closures can capture variables of the
/// function that advances the clock. Work for the same time runs in the order in which it was scheduled. Any thread can
/// schedule work.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
    public typealias VirtualTime = Converter.VirtualTimeUnit
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private let converter: Converter
    private let virtual: VirtualClock<Converter>

    /// - Parameters:
    ///   - initialClock: the initial virtual time.
    ///   - converter: converts between virtual and real time.
    public init(initialClock: VirtualTime, converter: Converter) {
        self.converter = converter
        virtual = VirtualClock(initialClock, converter: converter)
    }

    /// The virtual time.
    public var clock: VirtualTime { virtual.time }

    public var now: Instant { converter.convertFromVirtualTime(clock).instant }

    /// Changes the time for which `schedule` and `scheduleRelative` schedule work. The default returns `time` unchanged.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    public func schedule<StateType>(
        _ state: StateType, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .zero, action: action)
    }

    open func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        let time = converter.convertToVirtualTime(Converter.Time(instant: now.advanced(by: dueTime)))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
    }

    /// Runs `action` after `startAfter` and then every `period`. The period starts when the previous turn runs, as in
    /// RxSwift: if ``adjustScheduledTime(_:)`` makes one turn late, all following turns are late too.
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping (StateType) -> StateType
    ) -> any Disposable {
        let turns = VirtualTurns(state, on: self, period: period, action)
        turns.schedule(after: startAfter)
        return turns.next
    }

    /// Runs `action` after `dueTime`.
    @discardableResult
    public func scheduleRelativeVirtual<StateType>(
        _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        let time = converter.offsetVirtualTime(clock, offset: dueTime)
        return scheduleAbsoluteVirtual(state, time: time, action: action)
    }

    /// Runs `action` at `time`, or as soon as the clock runs if `time` has passed.
    @discardableResult
    public func scheduleAbsoluteVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        virtual.insert(ScheduledItem(state: state, action: action), at: time)
    }

    /// Runs all scheduled work, and the work that it schedules, until no work is left or ``stop()`` is called. Does
    /// nothing if one of the scheduler's own work items calls it.
    public func start() {
        virtual.run(until: nil)
    }

    /// Runs all work up to `virtualTime`, and sets the clock to `virtualTime`. The scheduler's own work items must not call it.
    public func advanceTo(_ virtualTime: VirtualTime) {
        precondition(virtual.run(until: virtualTime), "The virtual time is being advanced already")
        virtual.set(virtualTime)
    }

    /// Runs all work in the next `virtualInterval`, and advances the clock by it.
    public func advanceBy(_ virtualInterval: VirtualTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: virtualInterval))
    }

    /// Advances the clock without running any work.
    public func sleep(_ virtualInterval: VirtualTimeInterval) {
        let time = converter.offsetVirtualTime(clock, offset: virtualInterval)
        precondition(converter.compareVirtualTime(time, clock) != .lessThan, "Virtual time can't sleep into the past")
        virtual.set(time)
    }

    /// Stops `start` or `advanceTo` after the work item that is running.
    public func stop() {
        virtual.stop()
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The virtual time, and the times for which work is scheduled.
    public var debugDescription: String {
        "\(Self.self) at \(clock), with work for \(virtual.waiting)"
    }
}
