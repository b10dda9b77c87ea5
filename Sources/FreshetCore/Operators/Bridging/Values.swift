extension ObservableType where Element: Sendable {
    /// The elements as an asynchronous sequence, for `for try await`. Source: RxSwift's `values`.
    ///
    /// Each iterator subscribes when it is made. It disposes of the subscription when it is released or its task is
    /// cancelled. A cancelled `next` throws `CancellationError`. The source is paused when 64 elements wait, and
    /// resumed when 16 are left.
    @inlinable
    public var values: ObservableValues<Element> { values(buffering: 16...64) }

    /// Returns the elements as an asynchronous sequence that pauses the source while too many elements wait.
    ///
    /// - Parameter limits: the source is paused when the number of waiting elements reaches the upper bound, and
    ///   resumed when it falls to the lower bound. A source that cannot be paused continues, and the sequence keeps all
    ///   its elements.
    @inlinable
    public func values(buffering limits: ClosedRange<Int>) -> ObservableValues<Element> {
        precondition(limits.lowerBound >= 0 && limits.upperBound > 0, "values(buffering:) needs room for an element")
        return ObservableValues(source: asObservable(), limits: limits)
    }
}

/// The elements of an observable as an asynchronous sequence. See ``ObservableType/values``.
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

/// Ends the subscription when the iterator is released.
private final class AsyncBufferLifetime {
    private let buffer: any Disposable

    init(_ buffer: any Disposable) {
        self.buffer = buffer
    }

    deinit { buffer.dispose() }
}
