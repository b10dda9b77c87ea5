extension ObservableType where Element: Sendable {
    /// Subscribes again after an error, as `behavior` specifies. The last error is passed on.
    ///
    ///     cold source:                        -a#
    ///     retry(.backoff(1, maxAttempts: 3)): -a--a---a#
    ///
    /// - Parameters:
    ///   - behavior: how often to retry, how long to wait before each retry, and for how long to go on.
    ///   - scheduler: the scheduler of the waits. An attempt after a wait starts on it, and an attempt without a wait
    ///     starts where the error occurred.
    ///   - budget: limits the retries of all streams that share it. Each subscription deposits, and each retry
    ///     withdraws.
    ///   - shouldRetry: returns whether to retry after an error. An error that it throws replaces the error of the
    ///     stream.
    ///
    /// Source: Reactor's `retryWhen(Retry.backoff)`, in the shape of RxSwiftExt's `retry(_:scheduler:shouldRetry:)`.
    @preconcurrency
    public func retry(
        _ behavior: RetryBehavior, scheduler: any SchedulerType, budget: RetryBudget? = nil,
        shouldRetry: @escaping @Sendable (any Error) throws -> Bool = { _ in true }
    ) -> Observable<Element> {
        let source = asObservable()
        return Producer(after: source) {
            SequentialSubscriber.run(
                RetryBehaviorProvider(source, behavior, on: scheduler, budget, shouldRetry), to: $0)
        }
    }
}

private final class RetryBehaviorProvider<Element: Sendable>: SourceProvider<Element> {
    private let source: Observable<Element>
    private let behavior: RetryBehavior
    private let scheduler: any SchedulerType
    private let budget: RetryBudget?
    private let shouldRetry: (any Error) throws -> Bool
    private var retries = 0
    /// When the first error came, or the first one since an element.
    private var firstFailure: Instant?

    init(
        _ source: Observable<Element>, _ behavior: RetryBehavior, on scheduler: any SchedulerType,
        _ budget: RetryBudget?, _ shouldRetry: @escaping (any Error) throws -> Bool
    ) {
        self.source = source
        self.behavior = behavior
        self.scheduler = scheduler
        self.budget = budget
        self.shouldRetry = shouldRetry
    }

    override func source(after end: Event<Never>?, for subscriber: Downstream) throws -> Observable<Element>? {
        guard let end else {
            budget?.deposit()
            return attempt()
        }
        guard let error = end.error, try shouldRetry(error),
            let wait = try behavior.wait(beforeRetry: retries + 1, after: error), isInTime(after: wait),
            budget?.tryWithdraw() ?? true
        else { return nil }
        retries += 1
        return wait > .zero ? attempt().delaySubscription(wait, scheduler: scheduler) : attempt()
    }

    private func isInTime(after wait: RxTimeInterval) -> Bool {
        guard let longest = behavior.maxDuration else { return true }
        let now = scheduler.now
        let start = firstFailure ?? now
        firstFailure = start
        return start.duration(to: now) + wait <= longest
    }

    private func attempt() -> Observable<Element> {
        guard behavior.resetsOnElement, retries > 0 else { return source }
        return Producer(after: source) { [self, source] in source.run(ResettingSink(to: $0, self)) }
    }

    // No lock is needed: one source runs at a time, and no source runs while the subscriber requests the next one.
    fileprivate func reset() {
        retries = 0
        firstFailure = nil
    }
}

private final class ResettingSink<Element: Sendable>: OperatorSink<Element, Element> {
    private var provider: RetryBehaviorProvider<Element>?

    init(to downstream: Sink<Element>, _ provider: RetryBehaviorProvider<Element>) {
        self.provider = provider
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        provider.take()?.reset()
        downstream.next(element)
    }
}
