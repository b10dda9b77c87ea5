extension ObservableType {
    /// Emits the accumulated value after each element. Source: RxSwift's `scan`.
    ///
    /// The initial value of each subscription is `seed`, which is not emitted. An error that `accumulator` throws ends
    /// the stream.
    @inlinable
    @preconcurrency
    public func scan<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        scan(into: seed) { $0 = try accumulator($0, $1) }
    }

    /// Emits the accumulated value after each element. `accumulator` changes the value in place.
    /// Source: RxSwift's `scan(into:accumulator:)`.
    @inlinable
    @preconcurrency
    public func scan<Result>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) -> Observable<Result> {
        asObservable().linear { ScanSink(to: $0, seed, accumulator) }
    }
}

@usableFromInline
final class ScanSink<Element, Result>: OperatorSink<Element, Result> {
    // Unchecked for the same reason as in `TakeSink`.
    @exclusivity(unchecked) @usableFromInline var accumulated: Result
    @usableFromInline let accumulator: (inout Result, Element) throws -> Void

    @inlinable
    init(
        to downstream: Sink<Result>, _ seed: Result, _ accumulator: @escaping (inout Result, Element) throws -> Void
    ) {
        accumulated = seed
        self.accumulator = accumulator
        super.init(to: downstream)
    }

    @inlinable
    override func next(_ element: Element) {
        do {
            try accumulator(&accumulated, element)
            downstream.next(accumulated)
        } catch {
            downstream.error(error)
        }
    }
}
