extension ObservableType {
    /// A stream for each element and the state so far, until the next element replaces it; each element of such a stream is
    /// the state from then on. Source: RxJS's `switchScan`.
    ///
    ///     cold source:   1---23-----|
    ///     switchScan(0): --1----4---|
    ///
    /// Each subscription begins with `seed`, which is not emitted. The first error, also one that `accumulator` throws, ends
    /// everything.
    @preconcurrency
    public func switchScan<Source: ObservableConvertibleType>(
        _ seed: Source.Element, accumulator: @escaping @Sendable (Source.Element, Element) throws -> Source
    ) -> Observable<Source.Element> {
        let source = asObservable()
        let seed = Seed(seed)
        return source.linear { downstream in
            let states = AccumulatingSink(to: downstream, seed.value)
            return SwitchSink(to: states) { try accumulator(states.state, $0).asObservable() }
        }
    }
}
