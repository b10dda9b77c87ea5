extension ObservableType where Element: Sendable {
    /// The elements as an asynchronous sequence, for `for try await`. Source: RxSwift's `values`.
    ///
    /// Each iterator subscribes when it is made, and disposes of the subscription when it is let go or its task is
    /// cancelled; a cancelled `next` throws `CancellationError`. The source is held while 64 elements wait.
    @inlinable
    public var values: ObservableValues<Element> { values(buffering: 16...64) }

    /// The elements as an asynchronous sequence that holds the source while too many wait.
    ///
    /// - Parameter limits: the source is paused when as many elements wait as the upper bound says, and resumed when
    ///   they are down to the lower one. A source that cannot be paused goes on, and its elements wait all the same.
    @inlinable
    public func values(buffering limits: ClosedRange<Int>) -> ObservableValues<Element> {
        precondition(limits.lowerBound >= 0 && limits.upperBound > 0, "values(buffering:) needs room for an element")
        return ObservableValues(source: asObservable(), limits: limits)
    }
}

/// The elements of an observable, to be taken one after the other; see ``ObservableType/values``.
public struct ObservableValues<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = any Error

    @usableFromInline let source: Observable<Element>
    @usableFromInline let limits: ClosedRange<Int>

    @inlinable
    init(source: Observable<Element>, limits: ClosedRange<Int>) {
        self.source = source
        self.limits = limits
    }

    @inlinable
    public func makeAsyncIterator() -> Iterator {
        let buffer = AsyncBuffer<Element>(limits: limits)
        source.subscribe(buffer)
        return Iterator(buffer: buffer)
    }

    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let buffer: AsyncBuffer<Element>
        private let lifetime: AsyncBufferLifetime

        @usableFromInline
        init(buffer: AsyncBuffer<Element>) {
            self.buffer = buffer
            lifetime = AsyncBufferLifetime(buffer)
        }

        @inlinable
        public mutating func next() async throws -> Element? {
            try await buffer.next(isolation: nil)
        }

        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await buffer.next(isolation: actor)
        }
    }
}

/// Ends the subscription with the iterator.
private final class AsyncBufferLifetime {
    private let buffer: any Disposable

    init(_ buffer: any Disposable) {
        self.buffer = buffer
    }

    deinit { buffer.dispose() }
}
