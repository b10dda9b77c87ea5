public import Dispatch
public import FreshetCore

/// What the schedulers over a dispatch queue have in common: work is a block of the queue, time a timer of it.
///
/// The clock is dispatch's own, which counts from the start of the machine.
public protocol DispatchQueueScheduler: SchedulerType {
    /// Where the work runs.
    var queue: DispatchQueue { get }
    /// How much later than its time delayed work may run, to save power.
    var leeway: DispatchTimeInterval { get }
}

extension DispatchQueueScheduler {
    public var now: Instant {
        Instant(sinceStart: .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)))
    }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        enqueue(state, action)
    }

    func enqueue<StateType: Sendable>(
        _ state: StateType, _ action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        queue.async { item.invoke() }
        return item
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        let timer = startTimer(after: dueTime, period: nil) { item.invoke() }
        return Disposables.create(timer, item)
    }

    /// Turns of one piece of work never overlap, and those that a busy queue has missed come as one; a period under a
    /// millisecond is one millisecond.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let current = Locked(state)
        let action = SubscriptionContext.carried(action)
        return startTimer(after: startAfter, period: period) {
            let next = action(current.withLock { $0 })
            current.withLock { $0 = next }
        }
    }

    private func startTimer(
        after dueTime: RxTimeInterval, period: RxTimeInterval?, _ handler: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let source = DispatchSource.makeTimerSource(queue: queue)
        // A source can be cancelled from any thread, but does not say so; cancelling calls nothing under the lock.
        let handle = Locked<any DispatchSourceTimer>(source)
        // A source lives until it is cancelled; the work that is on its way when that happens does not run.
        let timer = Disposables.create { handle.withLock { $0.cancel() } }
        source.setEventHandler {
            if timer.isDisposed { return }
            handler()
            if period == nil { timer.dispose() }
        }
        let interval = period.map { max($0, .milliseconds(1)).dispatched }
        source.schedule(deadline: .now() + dueTime.dispatched, repeating: interval ?? .never, leeway: leeway)
        source.resume()
        return timer
    }
}

extension DispatchQueue {
    /// The same, for a scheduler: who waits on the main thread knows from now on that it has work.
    func scheduling() -> DispatchQueue {
        // By the label, for on Linux the main queue is another object each time.
        if label == DispatchQueue.main.label { _ = MainQueueWork.isKnown }
        return self
    }
}

extension Duration {
    fileprivate var dispatched: DispatchTimeInterval {
        if self <= .zero { return .nanoseconds(0) }
        let (seconds, attoseconds) = components
        // More than a century is for ever.
        if seconds > 4_000_000_000 { return .never }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
