import FreshetCore

extension Loop {
    /// Runs `work` on the loop when its turn ends, which is when all sockets that are ready have been served: once for all
    /// that the turn has brought, for instance to wake a thread of yours that takes answers.
    ///
    /// From another thread, and on a loop that was adopted, it is one of the next turns.
    ///
    /// - Returns: `false` if the loop has been shut down: the work is let go of and never runs.
    @discardableResult
    @preconcurrency
    public func afterTurn(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard isCurrent, let turnEnd = TurnEnd.current else { return execute(work) }
        turnEnd.add(TurnEndCall(work))
        return true
    }

    /// Like ``execute(_:)`` for work for which the calling thread will not wait: if that is another loop's, this one is
    /// woken when its turn ends, and once for all that the turn brings.
    func executeAfterTurn(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard !isCurrent, let turnEnd = TurnEnd.current else { return execute(work) }
        let (isAccepted, isPromise) = queue.appendForLater(.call(work))
        if isPromise { turnEnd.add(DeferredWakeup(loop: self)) }
        return isAccepted
    }
}

private final class TurnEndCall: TurnWork {
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
    }

    func turnEnds() { work() }
}

/// To wake a loop, unless somebody has done so by then.
private final class DeferredWakeup: TurnWork {
    private let loop: Loop

    init(loop: Loop) {
        self.loop = loop
    }

    func turnEnds() {
        if loop.queue.wakeIfNeeded() { loop.wakeup.send() }
    }
}
