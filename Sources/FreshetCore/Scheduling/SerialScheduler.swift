/// Runs work over another scheduler one piece at a time, first come first served.
///
/// A piece of work is finished when its action has returned; what the action returned is not waited for. Time is the
/// other scheduler's: delayed work is queued when it is due. Work that is scheduled from inside a piece runs after it.
/// Work that ends later than its action returns is a transaction: see ``run(_:)``.
public final class SerialScheduler: SchedulerType {
    private struct State: Sendable {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let base: any SchedulerType
    private let state = Locked(State())
    let transactions = TransactionLine()

    public init(over base: any SchedulerType) {
        self.base = base
    }

    public var now: Instant { base.now }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        let isFirst = self.state.withLock { state in
            state.waiting.append { item.invoke() }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { wake() }
        return item
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        base.scheduleRelative(state, dueTime: dueTime) { self.schedule($0, action: action) }
    }

    private func wake() {
        _ = base.schedule(()) { _ in
            self.runWaiting()
            return Disposables.create()
        }
    }

    // What comes while a batch runs waits for the next wake-up, so that nobody else on the scheduler below starves.
    private func runWaiting() {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in batch { work() }
        let isMore = state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning
        }
        if isMore { wake() }
    }
}
