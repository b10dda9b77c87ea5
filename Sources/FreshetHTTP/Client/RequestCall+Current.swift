import FreshetCore

extension RequestCall {
    /// What belongs to one attempt, or to one hop of a redirect, beside the transfer. It ends with the attempt or the hop.
    struct Current {
        /// The interceptors' observation of the attempt.
        var observation: (any Disposable)?
        /// The retriers' decision, or the delay, that the request waits for.
        var pending: (any Disposable)?

        func dispose() {
            observation?.dispose()
            pending?.dispose()
        }
    }

    /// A call of a transfer that follows a signal. It is made outside of the drain, unless another signal waits there. So a part that
    /// another thread or the call itself delivers meanwhile is handled by the thread that delivers it.
    enum TransferCall {
        case start(any Transfer)
        case pauseOrResume
    }
}
