extension PrimitiveSequence {
    /// The sequence with its error through `transform`; an error that this throws takes the place.
    @preconcurrency
    public func mapError(_ transform: @escaping @Sendable (any Error) throws -> any Error) -> Self {
        Self(raw: source.mapError(transform))
    }
}

extension PrimitiveSequence where Element: Sendable {
    /// Subscribes anew after an error; see ``ObservableType/retry(_:scheduler:budget:shouldRetry:)``.
    @preconcurrency
    public func retry(
        _ behavior: RetryBehavior, scheduler: any SchedulerType, budget: RetryBudget? = nil,
        shouldRetry: @escaping @Sendable (any Error) throws -> Bool = { _ in true }
    ) -> Self {
        Self(raw: source.retry(behavior, scheduler: scheduler, budget: budget, shouldRetry: shouldRetry))
    }
}
