/// A scheduler whose clock stands still until somebody moves it. Source: RxSwift's `VirtualTimeScheduler`.
///
/// Its work runs on the thread that calls ``start()`` or ``advanceTo(_:)``, in the order of time and then of scheduling,
/// so closures may capture variables of the function that moves the clock. Work can be scheduled from any thread.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
    public typealias VirtualTime = Converter.VirtualTimeUnit
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private let converter: Converter
    private let virtual: VirtualClock<Converter>

    /// - Parameters:
    ///   - initialClock: the time at the beginning.
    ///   - converter: what a unit of virtual time is in real time.
    public init(initialClock: VirtualTime, converter: Converter) {
        self.converter = converter
        virtual = VirtualClock(initialClock, converter: converter)
    }

    /// The virtual time.
    public var clock: VirtualTime { virtual.time }

    public var now: Instant { converter.convertFromVirtualTime(clock).instant }

    /// Where the time that `schedule` and `scheduleRelative` ask for is changed before it counts; the same, unless
    /// overridden.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

    public func schedule<StateType>(
        _ state: StateType, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .zero, action: action)
    }

    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        let time = converter.convertToVirtualTime(Converter.Time(instant: now.advanced(by: dueTime)))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
    }

    /// Runs `action` after `startAfter` and then every `period`, counted from when the turn before ran, as RxSwift does:
    /// where ``adjustScheduledTime(_:)`` makes a turn late, all that follow are.
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

    /// Runs `action` at `time`; as soon as the clock runs, if that has passed.
    @discardableResult
    public func scheduleAbsoluteVirtual<StateType>(
        _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        virtual.insert(ScheduledItem(state: state, action: action), at: time)
    }

    /// Runs everything that is scheduled, and what that schedules, until nothing is left or ``stop()`` is called. Called
    /// by a piece of its own work it does nothing.
    public func start() {
        virtual.run(until: nil)
    }

    /// Runs everything up to `virtualTime`, which is then the time. Not to be called by a piece of its own work.
    public func advanceTo(_ virtualTime: VirtualTime) {
        precondition(virtual.run(until: virtualTime), "The virtual time is being advanced already")
        virtual.set(virtualTime)
    }

    /// Runs everything in the next `virtualInterval`.
    public func advanceBy(_ virtualInterval: VirtualTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: virtualInterval))
    }

    /// Moves the clock, and runs nothing.
    public func sleep(_ virtualInterval: VirtualTimeInterval) {
        let time = converter.offsetVirtualTime(clock, offset: virtualInterval)
        precondition(converter.compareVirtualTime(time, clock) != .lessThan, "Virtual time can't sleep into the past")
        virtual.set(time)
    }

    /// Ends `start` or `advanceTo` after the work that is running.
    public func stop() {
        virtual.stop()
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The time, and the times for which work is scheduled.
    public var debugDescription: String {
        "\(Self.self) at \(clock), with work for \(virtual.waiting)"
    }
}
