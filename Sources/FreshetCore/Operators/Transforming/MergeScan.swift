extension ObservableType {
    /// A stream for each element and the state at the time when the stream begins, at most `maxConcurrent` at once; each
    /// element of such a stream is the state from then on. Source: RxJS's `mergeScan`.
    ///
    ///     cold source:                    12-----|
    ///     mergeScan(0):                   --12---|
    ///     mergeScan(0, maxConcurrent: 1): --1-3--|
    ///
    /// Each subscription begins with `seed`, which is never emitted: also not when the stream completes without an element,
    /// as in RxJS from version 7 on; version 6 emitted it then. So what comes is always what a stream said.
    ///
    /// While `maxConcurrent` run, `self` is paused, if it can be, and what it emits all the same waits. None is started
    /// while this is paused itself. The first error, also one that `accumulator` throws, ends everything.
    @preconcurrency
    public func mergeScan<Source: ObservableConvertibleType>(
        _ seed: Source.Element, maxConcurrent: Int = .max,
        accumulator: @escaping @Sendable (Source.Element, Element) throws -> Source
    ) -> Observable<Source.Element> {
        precondition(maxConcurrent > 0, "mergeScan(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        let source = asObservable()
        let seed = Seed(seed)
        return source.linear { downstream in
            let states = AccumulatingSink(to: downstream, seed.value)
            return LimitedMergeSink(to: states, maxConcurrent) { element in
                // A stream that waits is made before it begins, and the state is wanted as it is then.
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
