/// Runs work on the calling thread, one work item after the other: work that is scheduled while a work item runs waits
/// until that item has returned.
///
/// With this scheduler, merged sequences take turns and nested sequences do not deepen the stack.
/// Source: RxSwift's `CurrentThreadScheduler`.
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

    /// Whether this scheduler runs nothing on the calling thread, so that scheduled work would run at once.
    public static var isScheduleRequired: Bool { !trampoline.isRunning }

    /// Runs `work` at once, and then the work that it schedules on this thread. If an outer call is under way, the
    /// outer call runs the scheduled work.
    @usableFromInline
    static func trampolined(_ work: () -> Void) {
        if current.withCurrent({ trampolined(work, on: $0) }) == nil { trampolined(work, on: trampoline) }
    }

    @inline(__always)
    private static func trampolined(_ work: () -> Void, on trampoline: Trampoline) {
        if trampoline.isRunning { trampoline.start(work) } else { trampoline.run { trampoline.start(work) } }
    }

    /// Runs `work`, and the work that it schedules on this thread, as if nothing else ran on this thread. A caller that
    /// then blocks the thread until `work` has a result uses this method: otherwise the scheduled work would wait for
    /// the blocked caller forever.
    package static func withSeparateTrampoline(_ work: () -> Void) {
        // The caller can be waiting for work that is postponed to the end of the turn.
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
