public import FreshetCore

/// Runs work on the loops of a ``LoopGroup``. Work that is scheduled on a loop's thread runs on that loop. Other work
/// runs on the next loop in turn.
///
/// Work of one loop runs in the order in which it was scheduled, and work of different loops runs at the same time.
/// Work that is scheduled on a loop after its shutdown never runs.
public struct LoopGroupScheduler: SchedulerType {
    public let group: LoopGroup

    public init(_ group: LoopGroup) {
        self.group = group
    }

    /// The time of the clock that all loops share.
    public var now: Instant { group.loops[0].now }

    private var place: LoopScheduler { LoopScheduler(group.current ?? group.next()) }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        place.schedule(state, action: action)
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        place.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        place.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
}

extension LoopGroupScheduler {
    public func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> Deadline {
        place.setDeadline(after: span, from: now, for: target)
    }

    public func cancel(_ deadline: Deadline) {
        switch deadline.place {
        case .listed(_, let list):
            guard let loop = group.loops.first(where: { $0.deadlines.list == list }) else { return }
            LoopScheduler(loop).cancel(deadline)
        case .work(let work):
            work.dispose()
        }
    }
}
