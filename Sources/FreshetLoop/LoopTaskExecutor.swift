import FreshetCore

/// Runs tasks on a ``Loop``, so that `async` code sends requests and receives responses there, without a change of threads.
///
/// Such a task delays the loop's sockets between its suspensions, so it must neither block nor compute for long. After
/// the loop's shutdown the tasks run on the global concurrent executor.
///
///     await withTaskExecutorPreference(loop.taskExecutor) { try await client.get(url).value }
public final class LoopTaskExecutor: TaskExecutor {
    /// The loop that runs the tasks.
    public let loop: Loop

    fileprivate init(_ loop: Loop) {
        self.loop = loop
    }

    /// Enqueues the next job of a task. Can be called from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if loop.enqueue(job, of: asUnownedTaskExecutor()) { return }
        globalConcurrentExecutor.enqueue(job)
    }
}

/// Holds the task executor of a loop. There is one executor per loop while something retains it.
final class LoopTaskExecutors: Sendable {
    private struct Reference {
        weak var executor: LoopTaskExecutor?
    }

    private let current = Locked(Reference())

    func executor(of loop: Loop) -> LoopTaskExecutor {
        current.withLock { current in
            if let executor = current.executor { return executor }
            let executor = LoopTaskExecutor(loop)
            current.executor = executor
            return executor
        }
    }
}

extension Loop {
    /// The executor that runs tasks on this loop; see `withTaskExecutorPreference`.
    public var taskExecutor: LoopTaskExecutor { taskExecutors.executor(of: self) }
}
