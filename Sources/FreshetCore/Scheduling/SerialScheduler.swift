/// Runs work on another scheduler, one work item at a time, in the order of arrival.
///
/// A work item is finished when its action has returned. The scheduler does not wait for the disposable that the action
/// returned. The time is the underlying scheduler's: delayed work enters the queue when it is due. Work that is
/// scheduled by a work item runs after that item. For work that ends later than its action returns, use a transaction:
/// see ``run(_:)``.
public final class SerialScheduler: SchedulerType {
    private struct State: Sendable {
        var waiting: [any WaitingWork] = []
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
            state.waiting.append(item)
            return !exchange(&state.isRunning, with: true)
        }
        if isFirst { wake(Wakeup(of: self)) }
        return item
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        base.scheduleRelative(state, dueTime: dueTime) { self.schedule($0, action: action) }
    }

    private func wake(_ wakeup: Wakeup) {
        _ = base.schedule(wakeup) { wakeup in
            wakeup.run()
            return Disposables.create()
        }
    }

    // Work that arrives while a batch runs waits for the next wake-up, so that other work on the underlying scheduler
    // does not starve. A scheduler that runs the wake-up within the call would deepen the stack.
    fileprivate func runWaiting() {
        while runBatch() {
            let wakeup = Wakeup(of: self, fromItsWork: true)
            wake(wakeup)
            guard wakeup.endCall() else { return }
        }
    }

    /// - Returns: whether more work has arrived.
    private func runBatch() -> Bool {
        let batch = state.withLock { exchange(&$0.waiting, with: []) }
        for work in batch { work.invoke() }
        return state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning
        }
    }

    fileprivate func dropWaiting() {
        // The work is released outside of the lock, because that can run anything. It is disposed of too, because the caller
        // that scheduled it can hold it.
        let dropped = state.withLock { exchange(&$0, with: State()) }
        for work in dropped.waiting { work.dispose() }
    }
}

private protocol WaitingWork: Disposable {
    func invoke()
}

extension ScheduledItem: WaitingWork {}

/// One wake-up. A scheduler that has ended releases it without running it. The waiting work will then never run either, and is
/// released with what it holds, such as the lock of a file.
private final class Wakeup: Sendable {
    private struct State {
        /// `nil` if the wake-up has run.
        var scheduler: SerialScheduler?
        /// The thread that schedules the wake-up from the scheduler's own work, during that call.
        var caller: UInt?
        var hasRunWithinCall = false
    }

    private let state: Locked<State>

    init(of scheduler: SerialScheduler, fromItsWork: Bool = false) {
        state = Locked(State(scheduler: scheduler, caller: fromItsWork ? ThreadIdentity.current : nil))
    }

    deinit { state.withLock { $0.scheduler }?.dropWaiting() }

    func run() {
        let (scheduler, isWithinCall) = state.withLock { state in
            state.hasRunWithinCall = state.caller == ThreadIdentity.current
            return (state.scheduler.take(), state.hasRunWithinCall)
        }
        if !isWithinCall { scheduler?.runWaiting() }
    }

    /// Ends the call that schedules the wake-up.
    ///
    /// - Returns: whether the wake-up has run within the call. The caller then runs the waiting work.
    func endCall() -> Bool {
        state.withLock { state in
            state.caller = nil
            return state.hasRunWithinCall
        }
    }
}
