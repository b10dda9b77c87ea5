extension Loop {
    /// Whether the caller can begin something at once: it is on the loop's thread, and the loop has not begun to end.
    var canBegin: Bool { isCurrent && !isEnding }

    /// Runs `work`, which begins something, on the loop, or at once if the caller is on its thread.
    ///
    /// - Returns: `false` if the loop ends or has ended. The work then never runs.
    func begin(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard canBegin else { return execute(work) }
        work()
        return true
    }

    /// Runs `work` on the loop, or at once if the caller is on its thread, also while the loop ends.
    @discardableResult
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard isCurrent else { return execute(work) }
        work()
        return true
    }
}
