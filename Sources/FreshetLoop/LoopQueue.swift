import FreshetCore

/// The work that waits for a loop, from any thread: who puts the first piece into an empty queue wakes the loop, which
/// takes all.
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
        /// Only jobs are taken, which would leave a task hanging if they were not.
        var isClosed = false
        /// The thread takes nothing any more.
        var isFinished = false

        func takes(_ work: Work) -> Bool {
            switch work {
            case .job, .taskJob: !isFinished
            default: !isClosed
            }
        }
    }

    private let state = Locked(State())

    func append(_ work: Work) -> (isAccepted: Bool, wakes: Bool) {
        state.withLock { state in
            guard state.takes(work) else { return (false, false) }
            state.work.append(work)
            if case .stop = work { state.isClosed = true }
            defer { state.isAwake = true }
            return (true, !state.isAwake)
        }
    }

    /// Exchanges what waits for `batch`, which is empty.
    ///
    /// - Returns: `false` if nothing waited: the next piece wakes the loop again.
    func take(into batch: inout [Work]) -> Bool {
        state.withLock { state in
            swap(&state.work, &batch)
            if batch.isEmpty { state.isAwake = false }
            return !batch.isEmpty
        }
    }

    /// - Returns: whether nothing waits; then nothing is taken any more.
    func finish() -> Bool {
        state.withLock { state in
            state.isFinished = state.work.isEmpty
            return state.isFinished
        }
    }
}
