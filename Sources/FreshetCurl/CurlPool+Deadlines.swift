import FreshetCore
import FreshetHTTP
import FreshetLoop

// What happens when a transfer's time is up.
extension CurlPool {
    func setDeadline(of transfer: CurlTransfer, at due: Instant) {
        transfer.deadline = loop.deadlines.set(at: due, for: transfer)
    }

    /// Ends the transfer if its turn does not come in time.
    func limitWaiting(of transfer: CurlTransfer) {
        guard transfer.state == .queued, let timeout = configuration.pool.acquireTimeout else { return }
        setDeadline(of: transfer, at: loop.now.advanced(by: timeout))
    }

    func dropDeadline(of transfer: CurlTransfer) {
        guard let deadline = transfer.deadline else { return }
        transfer.deadline = nil
        deadline.dispose()
    }

    func deadlineReached(by transfer: CurlTransfer) {
        transfer.deadline = nil
        inCurl { checkDeadline(of: transfer) }
        runCommands()
    }

    /// Ends the transfer if a time is up, and looks again when the next one will be.
    func checkDeadline(of transfer: CurlTransfer) {
        let now = loop.now
        guard transfer.state == .running else {
            withQueue(of: transfer) { $0.remove(transfer) }
            return end(transfer, transfer.fail(.timeout, "no connection became free in time; send fewer at once"))
        }
        let expiry = transfer.expiry(now)
        guard let expiry, expiry.due <= now else {
            let later = transfer.lookAgain(now)
            if let due = expiry.map({ min($0.due, later ?? $0.due) }) ?? later { setDeadline(of: transfer, at: due) }
            return
        }
        if let easy = transfer.easy { easy.multi.remove(easy) }
        let failure = transfer.fail(.timeout, expiry.message)
        release(transfer)
        admit()
        end(transfer, failure)
    }
}
