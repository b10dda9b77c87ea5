import FreshetCore

extension RequestCall {
    /// The state of one attempt, or of one hop of a redirect. It ends with the attempt or the hop.
    struct Current {
        /// The transfer that is running, or that the retriers decide about.
        var transfer: (any Transfer)?
        /// The interceptors' observation of the attempt.
        var observation: (any Disposable)?
        /// The retriers' decision, or the delay, that the request waits for.
        var pending: (any Disposable)?

        func dispose() {
            observation?.dispose()
            pending?.dispose()
            transfer?.dispose()
        }
    }

    /// A call of a transfer that follows a signal. It is made outside of the drain, so that a part that another thread or the
    /// call itself delivers meanwhile is handled by the thread that delivers it.
    enum TransferCall {
        case start(any Transfer)
        /// Pauses or resumes the transfer.
        case hold(any Transfer)
    }
}
