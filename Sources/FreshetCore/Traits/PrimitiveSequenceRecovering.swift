extension PrimitiveSequence {
    /// Replaces the error of the sequence with the result of `transform`, or with the error that `transform` throws.
    @preconcurrency
    public func mapError(_ transform: @escaping @Sendable (any Error) throws -> any Error) -> Self {
        Self(raw: source.mapError(transform))
    }
}

extension PrimitiveSequence where Element: Sendable {
    /// Subscribes again after an error. See ``ObservableType/retry(_:scheduler:budget:shouldRetry:)``.
    @preconcurrency
    public func retry(
        _ behavior: RetryBehavior, scheduler: any SchedulerType, budget: RetryBudget? = nil,
        shouldRetry: @escaping @Sendable (any Error) throws -> Bool = { _ in true }
    ) -> Self {
        Self(raw: source.retry(behavior, scheduler: scheduler, budget: budget, shouldRetry: shouldRetry))
    }
}
