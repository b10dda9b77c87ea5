import FreshetCore
import FreshetHTTP
import FreshetLoop

// What happens when a transfer's time is up.
extension CurlPool {
    func setDeadline(of transfer: CurlTransfer, at due: Instant, from now: Instant) {
        transfer.deadline = loop.deadlines.set(at: due, from: now, for: transfer)
    }

    /// Ends the transfer if its turn does not come in time.
    func limitWaiting(of transfer: CurlTransfer) {
        guard transfer.state == .queued, transfer.deadline == 0, let timeout = configuration.pool.acquireTimeout else {
            return
        }
        let now = loop.now
        setDeadline(of: transfer, at: now.advanced(by: timeout), from: now)
    }

    /// Looks at the transfer's times when the first can be up.
    func limitRunning(of transfer: CurlTransfer) {
        guard let span = transfer.options.shortestLimit else { return }
        setDeadline(of: transfer, at: transfer.admission.advanced(by: span), from: transfer.admission)
    }

    func dropDeadline(of transfer: CurlTransfer) {
        if transfer.deadline == 0 { return }
        loop.deadlines.takeBack(transfer.deadline)
        transfer.deadline = 0
    }

    /// A stream's answer has begun, and may be silent for long: its connection's limit wakes nobody any more.
    func beginsToStream(_ transfer: CurlTransfer) {
        guard transfer.state == .running else { return }
        dropDeadline(of: transfer)
        let now = loop.now
        if let due = transfer.expiry(now)?.due { setDeadline(of: transfer, at: due, from: now) }
        loop.deadlines.trim()
        transfer.easy?.forgetRequest()
    }

    func deadlineReached(by transfer: CurlTransfer) {
        transfer.deadline = 0
        inCurl { checkDeadline(of: transfer) }
        runCommands()
    }

    /// Ends the transfer if a time is up, and looks again when the next one will be.
    func checkDeadline(of transfer: CurlTransfer) {
        let now = loop.now
        guard transfer.state == .running else {
            withQueue(of: transfer) { $0.remove(transfer) }
            return end(transfer, transfer.fail(.timeout, "no connection became free in time", .sendFewerAtOnce))
        }
        let expiry = transfer.expiry(now)
        guard let expiry, expiry.due <= now else {
            let later = transfer.lookAgain(now)
            if let due = expiry.map({ min($0.due, later ?? $0.due) }) ?? later {
                setDeadline(of: transfer, at: due, from: now)
            }
            return
        }
        if let easy = transfer.easy { easy.multi.remove(easy) }
        let failure = transfer.fail(.timeout, expiry.message, expiry.remedy)
        release(transfer)
        admit()
        end(transfer, failure)
    }
}
