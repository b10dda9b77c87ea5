import FreshetCore

/// Runs tasks on a ``Loop``, so that `async` code asks and is answered there, without a change of threads.
///
/// What such a task does between its suspensions keeps the loop's sockets waiting: it must neither block nor compute for
/// long. After the loop's shutdown tasks go on where other tasks run.
///
///     await withTaskExecutorPreference(loop.taskExecutor) { try await client.get(url).value }
public final class LoopTaskExecutor: TaskExecutor {
    /// Where the tasks run.
    public let loop: Loop

    fileprivate init(_ loop: Loop) {
        self.loop = loop
    }

    /// Takes the next piece of a task. From any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if loop.enqueue(job, of: asUnownedTaskExecutor()) { return }
        globalConcurrentExecutor.enqueue(job)
    }
}

/// The executor of a loop: one, as long as somebody holds it.
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
    /// Runs tasks that prefer it on this loop; see `withTaskExecutorPreference`.
    public var taskExecutor: LoopTaskExecutor { taskExecutors.executor(of: self) }
}
