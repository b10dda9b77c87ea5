public import FreshetCore
import Synchronization

/// Runs work on a ``Loop``: always in a later turn, in the order in which it was scheduled.
///
/// Work that is scheduled in a turn of another loop can begin as late as the end of that turn, so the turn must not wait for it.
///
/// Work that is scheduled after the loop's shutdown never runs.
public struct LoopScheduler: SchedulerType {
    /// The loop that runs the work.
    public let loop: Loop

    /// Creates a scheduler on `loop`. All schedulers of a loop share its order of work.
    public init(_ loop: Loop) {
        self.loop = loop
    }

    public var now: Instant { loop.now }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        if !loop.executeAfterTurn({ item.invoke() }) { item.dispose() }
        return item
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        guard dueTime > .zero else { return schedule(state, action: action) }
        let item = ScheduledItem(state: state, action: action)
        let work = TimedWork(on: loop, holding: item) { _ in
            item.invoke()
            return nil
        }
        work.start(at: loop.now.advanced(by: dueTime))
        return work
    }

    /// Does not drift, because each time is counted from the first. Skips the runs that a busy loop has missed. A
    /// period below one millisecond becomes one millisecond.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let period = max(period, .milliseconds(1))
        let current = Locked(state)
        let action = SubscriptionContext.inCurrentContext(action)
        let work = TimedWork(on: loop, holding: nil) { [loop] due in
            var next = action(current.withLock { $0 })
            current.withLock { swap(&$0, &next) }
            return due.advanced(to: loop.now, inPeriodsOf: period)
        }
        work.start(at: loop.now.advanced(by: max(startAfter, .zero)))
        return work
    }
}

/// Work with an entry in a loop's timeline. Disposing of the work removes the entry.
private final class TimedWork: Cancelable {
    /// A function in a type of its own. Each access to a function in a `Locked` would wrap it once more, for its generic form.
    private struct Action {
        let call: (Instant) -> Instant?
    }

    private let loop: Loop
    private let item: (any Disposable)?
    private let action: Locked<Action?>
    private let entry: LoopBound<Timeline<LoopTimerBackend>.Item?>

    /// - Parameter action: called with the time for which it was set. Returns the time for which to set it again.
    init(on loop: Loop, holding item: (any Disposable)?, _ action: @escaping (Instant) -> Instant?) {
        self.loop = loop
        entry = .sending(nil, on: loop)
        self.item = item
        self.action = Locked(Action(call: action))
        Resources.increment()
    }

    deinit { Resources.decrement() }

    var isDisposed: Bool { action.withLock { $0 == nil } }

    func start(at due: Instant) {
        if loop.canBegin {
            insert(at: due)
        } else if !loop.execute({ self.insert(at: due) }) {
            dispose()
        }
    }

    private func insert(at due: Instant) {
        guard !isDisposed else { return }
        entry.value = loop.timers.insert(at: due) { self.fire(due) }
    }

    private func fire(_ due: Instant) {
        entry.value = nil
        guard let action = action.withLock({ $0 }), let next = action.call(due) else { return }
        insert(at: next)
    }

    func dispose() {
        // The action is released outside of the lock, because that can run anything.
        let action = action.withLock { $0.take() }
        item?.dispose()
        guard action != nil else { return }
        if loop.isCurrent { remove() } else { loop.execute { self.remove() } }
    }

    private func remove() {
        if let entry = entry.value.take() { loop.timers.remove(entry) }
    }
}
