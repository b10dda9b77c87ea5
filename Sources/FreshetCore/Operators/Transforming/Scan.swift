extension ObservableType {
    /// The accumulated value after each element. Source: RxSwift's `scan`.
    ///
    /// Each subscription begins with `seed`, which is not emitted; an error of `accumulator` ends the stream.
    @inlinable
    @preconcurrency
    public func scan<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        scan(into: seed) { $0 = try accumulator($0, $1) }
    }

    /// The accumulated value after each element, changed in place. Source: RxSwift's `scan(into:accumulator:)`.
    @inlinable
    @preconcurrency
    public func scan<Result>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) -> Observable<Result> {
        let source = asObservable()
        let seed = Seed(seed)
        return source.linear { ScanSink(to: $0, seed.value, accumulator) }
    }
}

/// A value that each subscription begins with. Unchecked: it is only ever copied, as an element of `just` is.
@usableFromInline
struct Seed<Value>: @unchecked Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}

@usableFromInline
final class ScanSink<Element, Result>: OperatorSink<Element, Result> {
    // Unchecked: see `TakeSink`.
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
