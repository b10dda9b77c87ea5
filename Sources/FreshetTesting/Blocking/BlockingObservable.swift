public import FreshetCore

/// A stream that is waited for, for tests and small tools. Source: RxBlocking's `BlockingObservable`.
///
/// Its functions subscribe, block the calling thread until they have what they are for, and end the subscription.
/// The main thread goes on working for the main queue while it waits; for what other threads do besides waiting, there is
/// no waiting on them.
public struct BlockingObservable<Element> {
    let timeout: Double?
    let source: Observable<Element>
}

extension ObservableConvertibleType where Element: Sendable {
    /// The stream to be waited for. Source: RxBlocking's `toBlocking(timeout:)`.
    ///
    ///     let numbers = try Observable.of(1, 2).toBlocking(timeout: 1).toArray()
    ///
    /// - Parameter timeout: how many seconds to wait, at most, before `RxError.timeout` is thrown; `nil` for ever.
    @preconcurrency
    public func toBlocking(timeout: Double? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}

/// What a stream has said until it ended. Source: RxBlocking's `MaterializedSequenceResult`.
@frozen
public enum MaterializedSequenceResult<T> {
    /// The stream has completed.
    case completed(elements: [T])
    /// The stream has failed after `elements`, or was not waited for any longer.
    case failed(elements: [T], error: any Error)
}

extension MaterializedSequenceResult: Sendable where T: Sendable {}

extension BlockingObservable {
    /// All elements, once the stream has completed. Throws the stream's error.
    public func toArray() throws -> [Element] {
        try elements()
    }

    /// The first element, as soon as it is there; `nil` if the stream completes without one. Throws the error of a stream
    /// that fails before.
    public func first() throws -> Element? {
        try elements(atMost: 1).first
    }

    /// The last element, once the stream has completed; `nil` if there is none. Throws the stream's error.
    public func last() throws -> Element? {
        try elements().last
    }

    /// The only element. Throws `RxError.noElements` or `RxError.moreThanOneElement`, the latter as soon as there is a
    /// second one, and the stream's error.
    public func single() throws -> Element {
        try single { _ in true }
    }

    /// The only element for which `predicate` holds. Throws what `predicate` throws, and the errors of ``single()``.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let elements = try elements(atMost: 2, where: predicate)
        if elements.count > 1 { throw RxError.moreThanOneElement }
        guard let element = elements.first else { throw RxError.noElements }
        return element
    }

    /// Everything the stream says, and how it ends.
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
            // A source that never lets go of the thread is late all the same.
            try waiting.checkDeadline()
            return try predicate?(element) ?? true
        }
        if let limit { stream = stream.take(limit) }
        let subscription = SingleAssignmentDisposable()
        CurrentThreadScheduler.apart { subscription.setDisposable(stream.subscribe(waiting)) }
        defer { subscription.dispose() }
        return waiting.result()
    }
}
