import FreshetCore
import FreshetHTTP
import FreshetLoop

// The deadlines of transfers.
extension CurlPool {
    func setDeadline(of transfer: CurlTransfer, at due: Instant, from now: Instant) {
        transfer.state.times.deadline = loop.deadlines.set(at: due, from: now, for: transfer)
    }

    /// Ends the transfer if it is not admitted in time.
    func limitWaiting(of transfer: CurlTransfer) {
        guard transfer.state.stage == .queued, transfer.state.times.deadline == 0,
            let timeout = configuration.pool.acquireTimeout
        else { return }
        let now = loop.now
        setDeadline(of: transfer, at: now.advanced(by: timeout), from: now)
    }

    /// Checks the transfer's limits at the time at which the first of them can expire.
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

    /// Replaces the deadline of a long-lived transfer whose response has begun. The response can be silent for a long time,
    /// and the limits of the connecting phase must not wake the loop.
    func limitStreaming(of transfer: CurlTransfer) {
        guard transfer.state.isRunning else { return }
        dropDeadline(of: transfer)
        let progress = transfer.recordProgress()
        if let due = transfer.state.expiry(progress)?.due { setDeadline(of: transfer, at: due, from: progress.now) }
        loop.deadlines.trim()
        transfer.state.easy?.forgetRequest()
    }

    func deadlineReached(by transfer: CurlTransfer) {
        transfer.state.times.deadline = 0
        inCurl { checkDeadline(of: transfer) }
        runCommands()
    }

    /// Ends the transfer if one of its limits has expired. Otherwise, sets the deadline for the next limit.
    func checkDeadline(of transfer: CurlTransfer) {
        guard transfer.state.isRunning else {
            admit(.withdrawn(transfer))
            return end(transfer, transfer.state.error(.timeout, "no connection became free in time", .sendFewerAtOnce))
        }
        let progress = transfer.recordProgress()
        let now = progress.now
        let expiry = transfer.state.expiry(progress)
        guard let expiry, expiry.due <= now else {
            let later = transfer.state.nextCheck(now)
            if let due = expiry.map({ min($0.due, later ?? $0.due) }) ?? later {
                setDeadline(of: transfer, at: due, from: now)
            }
            return
        }
        stop(transfer, with: transfer.state.error(.timeout, expiry.message, expiry.recoverySuggestion))
    }
}
