extension ObservableType {
    /// Returns two streams: the elements that satisfy `predicate`, and those that do not.
    /// Source: RxSwiftExt's `partition`.
    ///
    /// The two streams share one subscription to the source. It begins with the first observer of either stream, and
    /// ends with the last observer of both. An error that `predicate` throws ends both streams.
    @preconcurrency
    @_disfavoredOverload  // A program's own operator of this name is selected first.
    public func partition(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> (matches: Observable<Element>, nonMatches: Observable<Element>) {
        let judged = map { (isMatch: try predicate($0), element: $0) }.share()
        return (judged.filter(\.isMatch).map(\.element), judged.filter { !$0.isMatch }.map(\.element))
    }
}
