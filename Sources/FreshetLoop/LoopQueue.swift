import FreshetCore

/// The work that waits for a loop. Any thread can append work. The thread that appends to an empty queue wakes the
/// loop, which takes all of it.
struct LoopQueue: Sendable {
    enum Work: Sendable {
        case call(@Sendable () -> Void)
        case piece(any LoopWork)
        case job(UnownedJob)
        case taskJob(UnownedJob, UnownedTaskExecutor)
        case stop
    }

    private struct State {
        var work: [Work] = []
        var isAwake = false
        /// Whether another loop's thread will wake the loop at the end of its turn.
        var isPromised = false
        /// Whether only jobs are accepted. If a job were refused, its task would hang.
        var isClosed = false
        /// Whether the loop accepts no more work.
        var isFinished = false

        func accepts(_ work: Work) -> Bool {
            switch work {
            case .job, .taskJob: !isFinished
            default: !isClosed
            }
        }
    }

    private let state = Locked(State())

    /// - Returns: whether the caller has to wake the loop.
    func append(_ work: Work) -> (isAccepted: Bool, wakes: Bool) {
        state.withLock { state in
            guard state.accepts(work) else { return (false, false) }
            state.work.append(work)
            if case .stop = work { state.isClosed = true }
            defer { state.isAwake = true }
            return (true, !state.isAwake)
        }
    }

    /// - Returns: whether the caller has to come back at the end of its turn.
    func appendForLater(_ work: Work) -> (isAccepted: Bool, isPromise: Bool) {
        state.withLock { state in
            guard state.accepts(work) else { return (false, false) }
            state.work.append(work)
            if state.isAwake || state.isPromised { return (true, false) }
            state.isPromised = true
            return (true, true)
        }
    }

    /// - Returns: whether the caller, whose turn has ended, has to wake the loop because no other thread did.
    func wakeIfNeeded() -> Bool {
        state.withLock { state in
            guard state.isPromised else { return false }
            state.isPromised = false
            defer { state.isAwake = true }
            return !state.isAwake
        }
    }

    /// Exchanges the waiting work for `batch`, which is empty.
    ///
    /// - Returns: `false` if no work was waiting. The next work wakes the loop again then.
    func drain(into batch: inout [Work]) -> Bool {
        state.withLock { state in
            swap(&state.work, &batch)
            state.isPromised = false
            if batch.isEmpty { state.isAwake = false }
            return !batch.isEmpty
        }
    }

    /// - Returns: whether no work is waiting. If so, the queue accepts no more work.
    func finish() -> Bool {
        state.withLock { state in
            state.isFinished = state.work.isEmpty
            return state.isFinished
        }
    }
}
