#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs work on the calling thread, one piece after the other: what is scheduled while something runs waits its turn.
/// Source: RxSwift's `CurrentThreadScheduler`.
///
/// It is what lets sequences that are merged take turns, and what keeps the stack flat when they are nested.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    public static let instance = CurrentThreadScheduler()

    /// The queue of the thread that runs; a thread has one while its outermost subscription or piece of work lasts.
    private static let current: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    @usableFromInline static var trampoline: Trampoline? {
        pthread_getspecific(current).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether nothing of this scheduler runs on the calling thread, so that scheduled work would run at once.
    public static var isScheduleRequired: Bool { pthread_getspecific(current) == nil }

    /// Whether other work waits for its turn on the calling thread.
    static var hasWaitingWork: Bool { trampoline?.isEmpty == false }

    /// Runs `work` at once, and whatever it schedules on this thread after it, unless an outer call does the latter.
    @usableFromInline
    static func trampolined(_ work: () -> Void) {
        guard isScheduleRequired else { return work() }
        let trampoline = Trampoline()
        pthread_setspecific(current, Unmanaged.passUnretained(trampoline).toOpaque())
        work()
        trampoline.drain()
        pthread_setspecific(current, nil)
    }

    /// Runs `work`, and what it schedules here, as if nothing else ran on this thread: for who then waits on the thread
    /// for what `work` has started, and would wait for ever if that had to wait for its turn.
    package static func apart(_ work: () -> Void) {
        let outer = pthread_getspecific(current)
        pthread_setspecific(current, nil)
        trampolined(work)
        pthread_setspecific(current, outer)
    }

    /// Runs `work` when its turn comes on this thread: at once if nothing runs.
    @usableFromInline
    static func enqueue(_ work: @escaping () -> Void) {
        if let trampoline { trampoline.append(work) } else { trampolined(work) }
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

/// The work that waits on one thread.
@usableFromInline
final class Trampoline {
    private var queue: [() -> Void] = []
    private var head = 0

    @usableFromInline var isEmpty: Bool { head == queue.count }

    func append(_ work: @escaping () -> Void) {
        queue.append(work)
    }

    func drain() {
        while head < queue.count {
            let work = queue[head]
            queue[head] = {}
            head += 1
            if head > 1024, head * 2 > queue.count {
                queue.removeFirst(head)
                head = 0
            }
            work()
        }
        queue.removeAll(keepingCapacity: false)
        head = 0
    }
}
