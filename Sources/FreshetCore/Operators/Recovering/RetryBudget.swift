/// How many retries many streams may make together: a token bucket. A retry takes a token; where there is none, the error
/// goes downstream at once. So a service that is down is not asked many times over by everybody.
///
///     let budget = RetryBudget(capacity: 20, refillInterval: .milliseconds(500), scheduler: loop)
///     requests.flatMap { request in
///         send(request).retry(.backoff(.milliseconds(100), maxAttempts: 4), scheduler: loop, budget: budget)
///     }
public final class RetryBudget: Sendable {
    private let bucket: Locked<TokenBucket>
    private let scheduler: any SchedulerType

    /// - Parameters:
    ///   - capacity: how many tokens there are at first, and at most.
    ///   - refillInterval: how long it takes until a token comes back.
    ///   - scheduler: the clock.
    public init(capacity: Int, refillInterval: RxTimeInterval, scheduler: any SchedulerType) {
        precondition(
            capacity >= 0 && refillInterval > .zero, "RetryBudget needs a capacity of zero or more, and time to refill")
        self.scheduler = scheduler
        bucket = Locked(TokenBucket(capacity: capacity, interval: refillInterval, at: scheduler.now))
    }

    /// How many tokens there are now.
    public var tokens: Int {
        let now = scheduler.now
        return bucket.withLock { $0.tokens(at: now) }
    }

    /// Takes a token, if there is one.
    public func take() -> Bool {
        let now = scheduler.now
        return bucket.withLock { $0.take(at: now) }
    }
}

/// Tokens that come back one by one.
struct TokenBucket {
    private let capacity: Int
    private let interval: RxTimeInterval
    private var tokens: Int
    /// When the last token came back.
    private var last: Instant

    init(capacity: Int, interval: RxTimeInterval, at now: Instant) {
        self.capacity = capacity
        self.interval = interval
        tokens = capacity
        last = now
    }

    mutating func tokens(at now: Instant) -> Int {
        let due = (last.duration(to: now) / interval).rounded(.down)
        if due >= Double(capacity - tokens) {
            tokens = capacity
            last = max(last, now)
        } else if due > 0 {
            tokens += Int(due)
            last = last.advanced(by: interval * Int(due))
        }
        return tokens
    }

    mutating func take(at now: Instant) -> Bool {
        if tokens(at: now) == 0 { return false }
        tokens -= 1
        return true
    }
}
