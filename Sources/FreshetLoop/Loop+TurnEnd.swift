import FreshetCore

extension Loop {
    /// Runs `work` at the end of the loop's current turn, after all ready sockets have been served. The work can act
    /// once for everything that the turn has brought, for instance wake a thread that processes responses.
    ///
    /// If the caller is on another thread, or if the loop is adopted, `work` runs in one of the next turns.
    ///
    /// - Returns: `false` if the loop has been shut down. The work is then released and never runs.
    @discardableResult
    @preconcurrency
    public func afterTurn(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard isCurrent, let turnEnd = TurnEnd.current else { return execute(work) }
        turnEnd.add(TurnEndCall(work))
        return true
    }

    /// Submits work for which the calling thread does not wait. If that thread belongs to another loop, it wakes this
    /// loop at the end of its turn, once for all work of the turn. Otherwise this is ``execute(_:)``.
    func executeAfterTurn(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard !isCurrent, let turnEnd = TurnEnd.current else { return execute(work) }
        let (isAccepted, isPromise) = queue.appendForLater(.call(work))
        if isPromise { turnEnd.add(DeferredWakeup(loop: self)) }
        return isAccepted
    }

    /// Runs postponed work after the sockets have been served. Work that timers have postponed runs before the loop
    /// waits for its sockets. If that postpones more work, the loop does not wait.
    func endTurns() {
        LoopPhase(.afterSockets, of: raw, nil) { [turnEnd] in turnEnd.run() }.start()
        LoopPhase(.beforeWait, of: raw, nil) { [turnEnd, nextTurn] in
            turnEnd.run()
            if !turnEnd.isEmpty { nextTurn.start() }
        }.start()
    }
}

private final class TurnEndCall: TurnWork {
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
    }

    func turnEnds() { work() }
}

/// Wakes a loop at the end of a turn, unless another thread has done so by then.
private final class DeferredWakeup: TurnWork {
    private let loop: Loop

    init(loop: Loop) {
        self.loop = loop
    }

    func turnEnds() {
        if loop.queue.wakeIfNeeded() { loop.wakeup.send() }
    }
}
