/// Runs work on the calling thread, one piece after the other: what is scheduled while something runs waits its turn.
/// Source: RxSwift's `CurrentThreadScheduler`.
///
/// It is what lets sequences that are merged take turns, and what keeps the stack flat when they are nested.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    public static let instance = CurrentThreadScheduler()

    /// The queue of each thread that has ever subscribed.
    private static let current = ThreadSpecific<Trampoline>()

    /// The calling thread's queue.
    @usableFromInline static var trampoline: Trampoline {
        if let trampoline = current.current { return trampoline }
        let trampoline = Trampoline()
        current.replace(with: trampoline)
        return trampoline
    }

    /// Whether nothing of this scheduler runs on the calling thread, so that scheduled work would run at once.
    public static var isScheduleRequired: Bool { !trampoline.isRunning }

    /// Runs `work` at once, and whatever it schedules on this thread after it, unless an outer call does the latter.
    @usableFromInline
    static func trampolined(_ work: () -> Void) {
        if current.withCurrent({ trampolined(work, on: $0) }) == nil { trampolined(work, on: trampoline) }
    }

    @inline(__always)
    private static func trampolined(_ work: () -> Void, on trampoline: Trampoline) {
        if trampoline.isRunning { trampoline.start(work) } else { trampoline.run { trampoline.start(work) } }
    }

    /// Runs `work`, and what it schedules here, as if nothing else ran on this thread: for who then waits on the thread
    /// for what `work` has started, and would wait for ever if that had to wait for its turn.
    package static func apart(_ work: () -> Void) {
        // What waits for the end of the turn may be what is waited for.
        TurnEnd.current?.run()
        let outer = current.exchange(nil)
        trampolined(work)
        current.replace(with: outer)
    }

    /// Runs `work` when its turn comes on this thread: at once if nothing runs.
    @usableFromInline
    static func enqueue(_ work: @escaping () -> Void) {
        let trampoline = trampoline
        if trampoline.isRunning { trampoline.append(work) } else { trampoline.run(work) }
    }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        Self.enqueue { item.invoke() }
        return item
    }
}
