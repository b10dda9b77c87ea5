extension ObservableType {
    /// Subscribes anew after each error, until the stream completes. Source: RxSwift's `retry`.
    public func retry() -> Observable<Element> {
        let source = asObservable()
        return Producer {
            Succession.run(AttemptStage(Swift.repeatElement(source, count: .max).makeIterator()), to: $0)
        }
    }

    /// Subscribes at most `maxAttemptCount` times in all; the last error goes downstream. Source: RxSwift's `retry(_:)`.
    ///
    /// With zero attempts the stream completes at once.
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        precondition(maxAttemptCount >= 0, "retry(_:) needs a number of attempts of zero or more")
        let source = asObservable()
        return Producer {
            Succession.run(AttemptStage(Swift.repeatElement(source, count: maxAttemptCount).makeIterator()), to: $0)
        }
    }
}
