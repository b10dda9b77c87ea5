extension ObservableType {
    /// Two streams: the elements that satisfy `predicate`, and those that do not. Source: RxSwiftExt's `partition`.
    ///
    /// The two share one subscription to the source, from the first observer of either to the last of both; an error that
    /// `predicate` throws ends both.
    @preconcurrency
    public func partition(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> (matches: Observable<Element>, nonMatches: Observable<Element>) {
        let judged = map { (isMatch: try predicate($0), element: $0) }.share()
        return (judged.filter(\.isMatch).map(\.element), judged.filter { !$0.isMatch }.map(\.element))
    }
}
