import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

// What happens when the process has no file descriptors left: the queue stays, and fewer run at once.
extension CurlPool {
    func lacksDescriptors(_ transfer: CurlTransfer, _ code: CURLcode) -> Bool {
        if transfer.lacksDescriptors { return true }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CACERT_BADFILE, CURLE_OUT_OF_MEMORY,
            CURLE_FAILED_INIT, CURLE_SSL_CONNECT_ERROR:
            return OpenFiles.areExhausted
        default:
            return false
        }
    }

    /// Puts the transfer back to the head of its queue until another ends, or fails it if there is none to wait for.
    func outOfDescriptors(_ transfer: CurlTransfer) {
        withQueue(of: transfer) { $0.leave(transfer) }
        transfer.shortages += 1
        let others = withQueue(of: transfer) { $0.running }
        let wasFreed = others == 0 && transfer.shortages == 1 && multis.closeIdle()
        guard transfer.shortages <= 32, others > 0 || wasFreed, !transfer.isDisposed else {
            admit()
            return end(
                transfer,
                transfer.fail(
                    .overloaded, "the process has no file descriptors left", "raise the limit, or send fewer at once"))
        }
        transfer.state = .queued
        transfer.resetForAnotherTry()
        withQueue(of: transfer) { queue in
            if others > 0 { queue.limit = others }
            queue.putBack(transfer)
        }
        multis.keep(atMost: max(1, others))
        if wasFreed { admit() }
        limitWaiting(of: transfer)
    }

    /// A transfer has ended: as many as ran with it may run, and an eighth more now and then.
    func recover() {
        ordinary.ended += 1
        ordinary.limit = min(ordinary.total, max(ordinary.limit, ordinary.running + 1))
        guard ordinary.ended % 64 == 0 else { return }
        ordinary.limit = min(ordinary.total, ordinary.limit + max(1, ordinary.limit / 8))
        multis.keep(atMost: ordinary.limit)
    }
}
