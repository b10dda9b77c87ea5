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
        enum Waking {
            case asleep
            /// Another loop's thread will wake the loop at the end of its turn.
            case promised
            case awake
        }

        enum Acceptance {
            case all
            /// If a job were refused, its task would hang.
            case jobs
            case nothing
        }

        var work: [Work] = []
        var waking = Waking.asleep
        var acceptance = Acceptance.all

        func accepts(_ work: Work) -> Bool {
            switch work {
            case .job, .taskJob: acceptance != .nothing
            default: acceptance == .all
            }
        }
    }

    private let state = Locked(State())

    /// - Returns: whether the caller has to wake the loop.
    func append(_ work: Work) -> (isAccepted: Bool, wakes: Bool) {
        state.withLock { state in
            guard state.accepts(work) else { return (false, false) }
            state.work.append(work)
            if case .stop = work { state.acceptance = .jobs }
            defer { state.waking = .awake }
            return (true, state.waking != .awake)
        }
    }

    /// - Returns: whether the caller has to come back at the end of its turn.
    func appendForLater(_ work: Work) -> (isAccepted: Bool, isPromise: Bool) {
        state.withLock { state in
            guard state.accepts(work) else { return (false, false) }
            state.work.append(work)
            guard state.waking == .asleep else { return (true, false) }
            state.waking = .promised
            return (true, true)
        }
    }

    /// - Returns: whether the caller, whose turn has ended, has to wake the loop because no other thread did.
    func wakeIfNeeded() -> Bool {
        state.withLock { state in
            guard state.waking == .promised else { return false }
            state.waking = .awake
            return true
        }
    }

    /// Exchanges the waiting work for `batch`, which is empty.
    ///
    /// - Returns: `false` if no work was waiting. The next work wakes the loop again then.
    func drain(into batch: inout [Work]) -> Bool {
        state.withLock { state in
            swap(&state.work, &batch)
            if batch.isEmpty || state.waking == .promised { state.waking = .asleep }
            return !batch.isEmpty
        }
    }

    /// - Returns: whether no work is waiting. If so, the queue accepts no more work.
    func finish() -> Bool {
        state.withLock { state in
            guard state.work.isEmpty else { return false }
            state.acceptance = .nothing
            return true
        }
    }
}
