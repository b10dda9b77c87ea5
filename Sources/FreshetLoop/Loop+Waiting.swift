import FreshetCore

extension Loop {
    /// Runs `work` on the loop and waits until it has run. On the loop's own thread, runs it at once.
    ///
    /// - Returns: `false` if the loop has been shut down; `work` then does not run.
    package func executeAndWait(_ work: @escaping @Sendable () -> Void) -> Bool {
        if isCurrent {
            work()
            return true
        }
        let done = Semaphore()
        guard
            execute({
                work(); done.signal()
            })
        else { return false }
        // `work` may depend on work that this thread has postponed to the end of its turn.
        TurnEnd.current?.run()
        done.wait()
        return true
    }
}
