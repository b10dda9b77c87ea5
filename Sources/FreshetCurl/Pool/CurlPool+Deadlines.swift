import FreshetCore
import FreshetHTTP
import FreshetLoop

// What happens when a transfer's time is up.
extension CurlPool {
    func setDeadline(of transfer: CurlTransfer, at due: Instant, from now: Instant) {
        transfer.state.times.deadline = loop.deadlines.set(at: due, from: now, for: transfer)
    }

    /// Ends the transfer if its turn does not come in time.
    func limitWaiting(of transfer: CurlTransfer) {
        guard transfer.state.stage == .queued, transfer.state.times.deadline == 0,
            let timeout = configuration.pool.acquireTimeout
        else { return }
        let now = loop.now
        setDeadline(of: transfer, at: now.advanced(by: timeout), from: now)
    }

    /// Looks at the transfer's times when the first can be up.
    func limitRunning(of transfer: CurlTransfer) {
        guard let span = transfer.state.options.shortestLimit else { return }
        let start = transfer.state.times.start
        setDeadline(of: transfer, at: start.advanced(by: span), from: start)
    }

    func dropDeadline(of transfer: CurlTransfer) {
        let deadline = transfer.state.times.deadline
        if deadline == 0 { return }
        transfer.state.times.deadline = 0
        loop.deadlines.cancel(deadline)
    }

    /// A stream's answer has begun, and may be silent for long: its connection's limit wakes nobody any more.
    func beginsToStream(_ transfer: CurlTransfer) {
        guard transfer.state.isRunning else { return }
        dropDeadline(of: transfer)
        let progress = transfer.progress
        if let due = transfer.state.expiry(progress)?.due { setDeadline(of: transfer, at: due, from: progress.now) }
        loop.deadlines.trim()
        transfer.state.easy?.forgetRequest()
    }

    func deadlineReached(by transfer: CurlTransfer) {
        transfer.state.times.deadline = 0
        inCurl { checkDeadline(of: transfer) }
        runCommands()
    }

    /// Ends the transfer if a time is up, and looks again when the next one will be.
    func checkDeadline(of transfer: CurlTransfer) {
        guard transfer.state.isRunning else {
            admit(.withdrawn(transfer))
            return end(transfer, transfer.state.error(.timeout, "no connection became free in time", .sendFewerAtOnce))
        }
        let progress = transfer.progress
        let now = progress.now
        let expiry = transfer.state.expiry(progress)
        guard let expiry, expiry.due <= now else {
            let later = transfer.state.lookAgain(now)
            if let due = expiry.map({ min($0.due, later ?? $0.due) }) ?? later {
                setDeadline(of: transfer, at: due, from: now)
            }
            return
        }
        if let easy = transfer.state.easy { easy.multi.remove(easy) }
        let failure = transfer.state.error(.timeout, expiry.message, expiry.recoverySuggestion)
        withdraw(transfer)
        leave(transfer, failure)
    }
}
