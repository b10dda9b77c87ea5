extension ObservableType {
    /// Calls `accumulator` with the state and each element, and subscribes to the stream that it returns, to at most
    /// `maxConcurrent` streams at once. The operator emits the elements of these streams, and each of them becomes the
    /// state. `accumulator` receives the state at the start of the stream. Source: RxJS's `mergeScan`.
    ///
    ///     cold source:                    12-----|
    ///     mergeScan(0):                   --12---|
    ///     mergeScan(0, maxConcurrent: 1): --1-3--|
    ///
    /// The initial state of each subscription is `seed`, which is never emitted, not even if the stream completes
    /// without an element. RxJS does the same from version 7 on. RxJS 6 emits the seed in that case.
    ///
    /// While `maxConcurrent` inner streams run, `self` is paused, if it supports pausing, and elements that it emits
    /// nevertheless wait. No inner stream starts while the operator itself is paused. The first error, also one that
    /// `accumulator` throws, ends the stream.
    @preconcurrency
    public func mergeScan<Source: ObservableConvertibleType>(
        _ seed: Source.Element, maxConcurrent: Int = .max,
        accumulator: @escaping @Sendable (Source.Element, Element) throws -> Source
    ) -> Observable<Source.Element> {
        precondition(maxConcurrent > 0, "mergeScan(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        return asObservable().linear { downstream in
            let states = AccumulatingSink(to: downstream, seed)
            return LimitedMergeSink(to: states, maxConcurrent) { element in
                // A waiting stream is created before it starts, but it needs the state at its start.
                Producer(unchecked: ()) { sink in
                    do {
                        try accumulator(states.state, element).asObservable().run(sink)
                    } catch {
                        sink.begin(with: NopDisposable.shared)
                        sink.error(error)
                    }
                }
            }
        }
    }
}
