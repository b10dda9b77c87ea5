extension FusedObservable {
    /// Each element through `transform`; see ``ObservableType/map(_:)``.
    @inlinable
    @preconcurrency
    public consuming func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> FusedObservable<FusedMap<Stage, Result>> {
        FusedObservable<FusedMap<Stage, Result>>(source, FusedMap(stage, transform))
    }

    /// The elements for which `predicate` holds; see ``ObservableType/filter(_:)``.
    @inlinable
    @preconcurrency
    public consuming func filter(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> FusedObservable<FusedFilter<Stage>> {
        FusedObservable<FusedFilter<Stage>>(source, FusedFilter(stage, predicate))
    }

    /// Each element through `transform`, where that has a result; see ``ObservableType/compactMap(_:)``.
    @inlinable
    @preconcurrency
    public consuming func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> FusedObservable<FusedCompactMap<Stage, Result>> {
        FusedObservable<FusedCompactMap<Stage, Result>>(source, FusedCompactMap(stage, transform))
    }

    /// The accumulated value after each element; see ``ObservableType/scan(into:accumulator:)``.
    @inlinable
    @preconcurrency
    public consuming func scan<Result>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) -> FusedObservable<FusedScan<Stage, Result>> {
        FusedObservable<FusedScan<Stage, Result>>(source, FusedScan(stage, seed, accumulator))
    }
}
