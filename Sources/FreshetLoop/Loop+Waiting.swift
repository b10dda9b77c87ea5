import FreshetCore

extension Loop {
    /// Runs `work` on the loop, and waits for it unless the caller is there already.
    ///
    /// - Returns: `false` if the loop has been shut down: nothing runs.
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
        // What has been put off on this thread may be what the work needs.
        TurnEnd.current?.run()
        done.wait()
        return true
    }
}
