extension ObservableType {
    /// Subscribes again after each error, until the stream completes. Source: RxSwift's `retry`.
    @inlinable
    public func retry() -> Observable<Element> {
        retry(.max)
    }

    /// Subscribes again after an error, `maxAttemptCount` times in total. The last error is passed on.
    /// Source: RxSwift's `retry(_:)`.
    ///
    /// With zero attempts the stream completes at once.
    @inlinable
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        precondition(maxAttemptCount >= 0, "retry(_:) needs a number of attempts of zero or more")
        let source = asObservable()
        return Producer(after: source) {
            SequentialSubscriber.run(RetryProvider(source, attempts: maxAttemptCount), to: $0)
        }
    }
}

/// Provides the same source as long as it fails and attempts remain.
@usableFromInline
final class RetryProvider<Element>: SourceProvider<Element> {
    private let source: Observable<Element>
    private var remaining: Int

    @usableFromInline
    init(_ source: Observable<Element>, attempts: Int) {
        self.source = source
        remaining = attempts
    }

    override func source(after end: Event<Never>?, for subscriber: Downstream) -> Observable<Element>? {
        if remaining == 0 || end?.isCompleted == true { return nil }
        remaining -= 1
        return source
    }
}
