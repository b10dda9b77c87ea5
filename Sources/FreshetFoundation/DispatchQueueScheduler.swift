public import Dispatch
public import FreshetCore

/// The common part of the schedulers over a dispatch queue: work runs as a block of the queue, and delayed work as a
/// timer of it.
///
/// The clock is that of Dispatch, which counts from the start of the machine.
public protocol DispatchQueueScheduler: SchedulerType {
    /// The queue on which the work runs.
    var queue: DispatchQueue { get }
    /// How late delayed work may run, to save power.
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

    /// Two runs of `action` never overlap. The runs that a busy queue has missed become one run. A period below one
    /// millisecond becomes one millisecond.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let current = Locked(state)
        let action = SubscriptionContext.inCurrentContext(action)
        return startTimer(after: startAfter, period: period) {
            var next = action(current.withLock { $0 })
            current.withLock { swap(&$0, &next) }
        }
    }

    private func startTimer(
        after dueTime: RxTimeInterval, period: RxTimeInterval?, _ handler: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let source = DispatchSource.makeTimerSource(queue: queue)
        // A source can be cancelled from any thread, but its type is not marked sendable. Cancelling calls nothing
        // under the lock.
        let handle = Locked<any DispatchSourceTimer>(source)
        // A source lives until it is cancelled. A handler that was already enqueued then does nothing.
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
    /// Returns this queue for use by a scheduler. For the main queue, registers the work that a wait on the main thread
    /// has to run.
    func scheduling() -> DispatchQueue {
        // Compared by label, because on Linux `DispatchQueue.main` returns another object each time.
        if label == DispatchQueue.main.label { _ = MainQueueWork.isKnown }
        return self
    }
}

extension Duration {
    fileprivate var dispatched: DispatchTimeInterval {
        if self <= .zero { return .nanoseconds(0) }
        let (seconds, attoseconds) = components
        // A delay of more than a century never ends.
        if seconds > 4_000_000_000 { return .never }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
