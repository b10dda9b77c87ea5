import FreshetCore
import Synchronization

// Runs the jobs of actors and tasks on the loop.
extension Loop {
    /// Runs a job of an actor that lives on this loop. After ``shutdown()`` the jobs run on the calling thread, still
    /// one at a time, so that no task is left hanging. They can use the values of a ``LoopBound``.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if submit(.job(job)) { return }
        lateJobs.submit(job) { job in
            lateThreadID.store(ThreadIdentity.current, ordering: .relaxed)
            job.runSynchronously(on: asUnownedSerialExecutor())
            lateThreadID.store(0, ordering: .relaxed)
        }
    }

    /// - Returns: `false` if the loop runs no more jobs.
    func enqueue(_ job: UnownedJob, of executor: UnownedTaskExecutor) -> Bool {
        submit(.taskJob(job, executor))
    }

    public func checkIsolated() {
        preconditionOwner()
    }

    /// Stops the program if the caller is neither on the loop's thread nor in a job that runs after the end.
    func preconditionOwner(_ function: StaticString = #function) {
        if isCurrent || lateThreadID.load(ordering: .relaxed) == ThreadIdentity.current { return }
        preconditionOnLoop(function)
    }
}
