public import FreshetCore

/// A stream whose functions wait for its events, for tests and small tools. Source: RxBlocking's `BlockingObservable`.
///
/// Each function subscribes, blocks the calling thread until it has its result, and ends the subscription. The main
/// thread continues to run the work of the main queue while it waits. Another thread does no work while it waits: do
/// not wait on a thread for a stream that needs work of that same thread.
public struct BlockingObservable<Element> {
    let timeout: Double?
    let source: Observable<Element>
}

extension ObservableConvertibleType where Element: Sendable {
    /// Returns this stream with functions that wait for its events. Source: RxBlocking's `toBlocking(timeout:)`.
    ///
    ///     let numbers = try Observable.of(1, 2).toBlocking(timeout: 1).toArray()
    ///
    /// - Parameter timeout: the maximum waiting time in seconds, after which `RxError.timeout` is thrown. `nil` waits
    ///   without a limit.
    @preconcurrency
    public func toBlocking(timeout: Double? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}

/// The elements of a stream and its end. Source: RxBlocking's `MaterializedSequenceResult`.
@frozen
public enum MaterializedSequenceResult<T> {
    /// The stream has completed.
    case completed(elements: [T])
    /// The stream has failed after `elements`, or the timeout has passed.
    case failed(elements: [T], error: any Error)
}

extension MaterializedSequenceResult: Sendable where T: Sendable {}

extension BlockingObservable {
    /// Waits for the completion and returns all elements. Throws the stream's error.
    public func toArray() throws -> [Element] {
        try elements()
    }

    /// Waits for the first element and returns it, or `nil` if the stream completes without an element. Throws the
    /// error of a stream that fails before its first element.
    public func first() throws -> Element? {
        try elements(atMost: 1).first
    }

    /// Waits for the completion and returns the last element, or `nil` if there is none. Throws the stream's error.
    public func last() throws -> Element? {
        try elements().last
    }

    /// Waits for the completion and returns the only element. Throws `RxError.noElements`, the stream's error, or, as
    /// soon as a second element arrives, `RxError.moreThanOneElement`.
    public func single() throws -> Element {
        try single { _ in true }
    }

    /// Waits for the completion and returns the only element for which `predicate` holds. Throws what `predicate`
    /// throws, and the errors of ``single()``.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let elements = try elements(atMost: 2, where: predicate)
        if elements.count > 1 { throw RxError.moreThanOneElement }
        guard let element = elements.first else { throw RxError.noElements }
        return element
    }

    /// Waits for the end and returns all elements and the end.
    public func materialize() -> MaterializedSequenceResult<Element> {
        wait()
    }

    private func elements(
        atMost limit: Int? = nil, where predicate: (@Sendable (Element) throws -> Bool)? = nil
    ) throws -> [Element] {
        switch wait(atMost: limit, where: predicate) {
        case .completed(let elements): return elements
        case .failed(_, let error): throw error
        }
    }

    private func wait(
        atMost limit: Int? = nil, where predicate: (@Sendable (Element) throws -> Bool)? = nil
    ) -> MaterializedSequenceResult<Element> {
        let waiting = WaitingObserver<Element>(until: timeout.map(TimeLimit.init))
        var stream = source.filter { element in
            // The deadline also applies to a source that emits without ever returning from the subscribing call.
            try waiting.checkDeadline()
            return try predicate?(element) ?? true
        }
        if let limit { stream = stream.take(limit) }
        let subscription = SingleAssignmentDisposable()
        CurrentThreadScheduler.withSeparateTrampoline { subscription.setDisposable(stream.subscribe(waiting)) }
        defer { subscription.dispose() }
        return waiting.result()
    }
}
