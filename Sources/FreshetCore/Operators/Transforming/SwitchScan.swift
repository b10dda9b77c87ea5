extension ObservableType {
    /// Calls `accumulator` with the state and each element, and subscribes to the stream that it returns. The next
    /// element replaces that stream. The operator emits the elements of these streams, and each of them becomes the
    /// state. Source: RxJS's `switchScan`.
    ///
    ///     cold source:   1---23-----|
    ///     switchScan(0): --1----4---|
    ///
    /// The initial state of each subscription is `seed`, which is not emitted. The first error, also one that
    /// `accumulator` throws, ends the stream.
    @preconcurrency
    public func switchScan<Source: ObservableConvertibleType>(
        _ seed: Source.Element, accumulator: @escaping @Sendable (Source.Element, Element) throws -> Source
    ) -> Observable<Source.Element> {
        asObservable().linear { downstream in
            let states = AccumulatingSink(to: downstream, seed)
            return SwitchSink(to: states) { try accumulator(states.state, $0).asObservable() }
        }
    }
}
