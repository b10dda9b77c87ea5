public import FreshetCore

/// Runs work on the loops of a ``LoopGroup``: on the loop whose thread the caller is on, else on the next in turn.
///
/// Work that was scheduled on one thread runs in order, work of different loops at the same time. After a loop's shutdown
/// what is scheduled on it is let go of.
public struct LoopGroupScheduler: SchedulerType {
    public let group: LoopGroup

    public init(_ group: LoopGroup) {
        self.group = group
    }

    /// The clock is the same for all loops.
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
