extension ObservableType {
    /// Subscribes anew after each error, until the stream completes. Source: RxSwift's `retry`.
    public func retry() -> Observable<Element> {
        let source = asObservable()
        return Producer { CatchSequenceSink(to: $0) { _ in source }.start() }
    }

    /// Subscribes at most `maxAttemptCount` times in all; the last error goes downstream. Source: RxSwift's `retry(_:)`.
    ///
    /// With zero attempts the stream completes at once.
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        precondition(maxAttemptCount >= 0, "retry(_:) needs a number of attempts of zero or more")
        let source = asObservable()
        return Producer { downstream in
            var left = maxAttemptCount
            CatchSequenceSink(to: downstream) { _ in
                if left == 0 { return nil }
                left -= 1
                return source
            }.start()
        }
    }
}
