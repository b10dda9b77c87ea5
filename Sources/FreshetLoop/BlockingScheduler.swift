import CFreshetUV
public import FreshetCore

/// Runs blocking work, such as fsync and file locks, on libuv's thread pool, so that no loop waits for it.
///
/// Several pieces of work run at once; use a `SerialScheduler` over this scheduler where that is wrong. The shutdown of
/// the loop waits for work that has begun. Work that is scheduled after the shutdown never runs.
public struct BlockingScheduler: SchedulerType {
    private let base: LoopScheduler

    /// Creates a scheduler on libuv's thread pool, which all loops of the process share. The pool has four threads
    /// unless `UV_THREADPOOL_SIZE` sets another number. `loop` passes the work to the pool and provides the clock.
    public init(on loop: Loop) {
        base = LoopScheduler(loop)
    }

    public var now: Instant { base.now }

    /// Whether the calling thread does the work of a scheduler whose loop is being shut down, and waits for that work. Work that
    /// can take long asks this from time to time, and ends early.
    public static var isAwaitedByShutdown: Bool {
        // A task that the work has created inherits the loop, and runs on another thread.
        Loop.ofBlockingWork.map { $0.isInBlockingWork && $0.blockingWork.withLock { $0.isAwaited } } ?? false
    }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        let loop = base.loop
        if loop.canBegin {
            Self.queue(on: loop, item.invoke)
        } else if !loop.execute({ Self.queue(on: loop, item.invoke) }) {
            item.dispose()
        }
        return item
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        base.scheduleRelative(state, dueTime: dueTime) { schedule($0, action: action) }
    }

    /// Skips each run that becomes due while the previous one is still running.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let current = Locked<(state: StateType, isBusy: Bool)>((state, false))
        let running = SerialDisposable()
        let timer = base.schedulePeriodic((), startAfter: startAfter, period: period) { _ in
            let isBusy = current.withLock { current in
                defer { current.isBusy = true }
                return current.isBusy
            }
            guard !isBusy else { return }
            running.disposable = schedule(()) { _ in
                var next = action(current.withLock { $0.state })
                // The previous state is released outside of the lock, because that can run anything.
                current.withLock { current in
                    swap(&current.state, &next)
                    current.isBusy = false
                }
                return Disposables.create()
            }
        }
        return Disposables.create(timer, running)
    }

    private static func queue(on loop: Loop, _ work: @escaping () -> Void) {
        let call = BlockingCall(work, on: loop)
        loop.adoption?.begins()
        let result = uv_queue_work(
            loop.raw, call.request,
            { OpaqueReference<BlockingCall>.object(at: $0!.pointee.data).run() },
            { request, _ in
                OpaqueReference<BlockingCall>.takeRetained(request!.pointee.data).loop.adoption?.ends()
            })
        precondition(result == 0, "uv_queue_work: \(LoopError(code: result))")
    }
}

/// One work request to libuv's thread pool. libuv retains it until the work has ended.
private final class BlockingCall {
    let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
    let loop: Loop
    private let work: () -> Void

    init(_ work: @escaping () -> Void, on loop: Loop) {
        self.work = work
        self.loop = loop
        request.initialize(to: uv_work_t())
        request.pointee.data = OpaqueReference.retain(self)
    }

    deinit { request.deallocate() }

    /// Called on a thread of the pool.
    func run() {
        let thread = ThreadIdentity.current
        loop.blockingWork.withLock { _ = $0.threads.insert(thread) }
        Loop.$ofBlockingWork.withValue(loop) { work() }
        loop.blockingWork.withLock { _ = $0.threads.remove(thread) }
    }
}

/// The blocking work of a loop that is running.
struct BlockingWork: Sendable {
    var threads: Set<UInt> = []
    /// Whether the loop is being shut down, which waits for the work.
    var isAwaited = false
}

extension Loop {
    /// The loop whose blocking work runs on the calling thread.
    @TaskLocal fileprivate static var ofBlockingWork: Loop?

    /// Whether the caller is in blocking work of this loop, for which the end of the loop waits.
    var isInBlockingWork: Bool { blockingWork.withLock { $0.threads.contains(ThreadIdentity.current) } }
}
