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
}
