import Dispatch
import FreshetCore

/// What the schedulers over a dispatch queue share: timers of that queue.
struct DispatchTimer: Sendable {
    let queue: DispatchQueue

    /// The time since the machine was started, as dispatch counts it.
    static var now: Instant {
        Instant(sinceStart: .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)))
    }

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        queue.async { item.invoke() }
        return item
    }

    func schedule<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        let timer = start(after: dueTime, period: nil) { item.invoke() }
        return Disposables.create(timer, item)
    }

    func schedule<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        let current = Locked(state)
        return start(after: startAfter, period: period) {
            let next = action(current.withLock { $0 })
            current.withLock { $0 = next }
        }
    }

    private func start(
        after dueTime: RxTimeInterval, period: RxTimeInterval?, _ handler: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let handle = Handle(source: source)
        // A source lives until it is cancelled; the work that is on its way when that happens does not run.
        let timer = Disposables.create { handle.source.cancel() }
        source.setEventHandler {
            if timer.isDisposed { return }
            handler()
            if period == nil { timer.dispose() }
        }
        let interval = period.map { max($0, .milliseconds(1)).dispatched }
        source.schedule(deadline: .now() + dueTime.dispatched, repeating: interval ?? .never)
        source.resume()
        return timer
    }

    /// A dispatch source can be cancelled from any thread; it just does not say so.
    private struct Handle: @unchecked Sendable {
        let source: any DispatchSourceTimer
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
