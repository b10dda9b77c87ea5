import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

// Handles a process that has no file descriptors left: the queue stays, and fewer transfers run at once.
extension CurlPool {
    /// How many times a transfer waits for a descriptor.
    private static let shortageLimit = 32

    /// Whether libcurl may have failed because no descriptor was left.
    static func mayLackDescriptors(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CACERT_BADFILE, CURLE_OUT_OF_MEMORY,
            CURLE_FAILED_INIT, CURLE_SSL_CONNECT_ERROR:
            OpenFiles.areExhausted
        default: false
        }
    }

    /// Puts the transfer back at the head of its queue until another one ends. Fails it if there is none to wait for, and no kept
    /// connection to close.
    func waitForDescriptors(_ transfer: CurlTransfer) {
        let failure = transfer.state.error(
            .overloaded, "the process has no file descriptors left", "raise the limit, or send fewer requests at once")
        state.admission.leave(transfer)
        transfer.apply(.requeued)
        let others = state.admission.running(besides: transfer)
        let wasFreed = others == 0 && multis?.closeIdle() == true
        guard transfer.state.connection.shortages <= Self.shortageLimit, others > 0 || wasFreed, !transfer.isDisposed
        else {
            beginNext()
            return end(transfer, failure)
        }
        admit(.returned(transfer))
        limitWaiting(of: transfer)
    }
}
