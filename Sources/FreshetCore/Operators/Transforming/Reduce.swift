extension ObservableType {
    /// Emits the accumulated value when the source completes. An error that `accumulator` throws ends the stream.
    /// Source: RxSwift's `reduce`.
    @inlinable
    @preconcurrency
    public func reduce<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        reduce(seed, accumulator: accumulator, mapResult: { $0 })
    }

    /// Emits the result of `mapResult` for the accumulated value when the source completes. An error that either
    /// closure throws ends the stream. Source: RxSwift's `reduce(_:accumulator:mapResult:)`.
    @inlinable
    @preconcurrency
    public func reduce<Accumulated, Result>(
        _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated,
        mapResult: @escaping @Sendable (Accumulated) throws -> Result
    ) -> Observable<Result> {
        asObservable().linear { ReduceSink(to: $0, seed, accumulator, mapResult) }
    }
}

@usableFromInline
final class ReduceSink<Element, Accumulated, Result>: ClosingOperatorSink<Element, Result> {
    @usableFromInline var accumulated: Accumulated
    @usableFromInline let accumulator: (Accumulated, Element) throws -> Accumulated
    @usableFromInline let mapResult: (Accumulated) throws -> Result

    @inlinable
    init(
        to downstream: Sink<Result>, _ seed: Accumulated,
        _ accumulator: @escaping (Accumulated, Element) throws -> Accumulated,
        _ mapResult: @escaping (Accumulated) throws -> Result
    ) {
        accumulated = seed
        self.accumulator = accumulator
        self.mapResult = mapResult
        super.init(to: downstream)
    }

    @inlinable
    override func next(_ element: Element) {
        do {
            accumulated = try accumulator(accumulated, element)
        } catch {
            downstream.error(error)
        }
    }

    @inlinable
    override func completed() {
        do {
            finish(with: try mapResult(accumulated))
        } catch {
            downstream.error(error)
        }
    }
}
