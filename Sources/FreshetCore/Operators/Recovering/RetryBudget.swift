/// Limits the retries of a whole program to a share of its requests, so that a service that fails does not also receive every
/// request several times.
///
/// Each request deposits, each retry withdraws, and a retry that finds too little is not made: the error goes downstream, or the
/// response is delivered as it is. Deposits and withdrawals expire after ``window``. `minimumPerSecond` retries a second are
/// granted in any case, for programs that have just started or send little.
///
///     let budget = RetryBudget(ratio: 0.1, scheduler: loop)
///     requests.flatMap { request in
///         send(request).retry(.backoff(.milliseconds(100), maxAttempts: 4), scheduler: loop, budget: budget)
///     }
///
/// Share one budget among all requests to a service. It can be used from any thread. Source: Finagle's `RetryBudget`.
public final class RetryBudget: Sendable {
    /// How many retries a request pays for: 0.2 is one retry for five requests.
    public let ratio: Double
    /// How many retries a second are granted without a deposit.
    public let minimumPerSecond: Int
    /// How long a deposit or a withdrawal counts.
    public let window: Duration

    private let scheduler: any SchedulerType
    private let state: Locked<SlidingSum>
    /// What a request deposits and what a retry withdraws, in thousandths of a deposit.
    private let (deposited, withdrawn): (Int, Int)
    /// What is there without a deposit.
    private let reserve: Int

    /// - Parameters:
    ///   - ratio: how many retries a request pays for, from 0 to 1000.
    ///   - minimumPerSecond: how many retries a second are granted without a deposit.
    ///   - window: how long a deposit or a withdrawal counts, from 1 to 60 seconds.
    ///   - scheduler: the clock.
    public init(
        ratio: Double = 0.2, minimumPerSecond: Int = 10, window: Duration = .seconds(10), scheduler: any SchedulerType
    ) {
        precondition((0...1000).contains(ratio), "RetryBudget needs a ratio from 0 to 1000")
        precondition((0...1_000_000).contains(minimumPerSecond), "RetryBudget needs a minimum from 0 to 1,000,000")
        precondition(
            window >= .seconds(1) && window <= .seconds(60), "RetryBudget needs a window from 1 to 60 seconds")
        self.ratio = ratio
        self.minimumPerSecond = minimumPerSecond
        self.window = window
        self.scheduler = scheduler
        (deposited, withdrawn) = ratio == 0 ? (0, 1000) : (1000, max(1, Int((1000 / ratio).rounded())))
        reserve = Int(Double(minimumPerSecond) * (window / .seconds(1))) * withdrawn
        state = Locked(SlidingSum(over: window, at: scheduler.now))
    }

    /// Counts a request, which pays for ``ratio`` retries.
    public func deposit() {
        let now = scheduler.now
        state.withLock { $0.add(deposited, at: now) }
    }

    /// Pays for a retry.
    ///
    /// - Returns: whether the retry can be made. `false` changes nothing.
    public func tryWithdraw() -> Bool {
        let now = scheduler.now
        return state.withLock { sum in
            guard sum.total(at: now) + reserve >= withdrawn else { return false }
            sum.add(-withdrawn, at: now)
            return true
        }
    }

    /// How many retries can be made now.
    public var balance: Int {
        let now = scheduler.now
        return max(0, state.withLock { $0.total(at: now) } + reserve) / withdrawn
    }
}

/// The sum of the amounts of the last while, which is counted in ten slices.
private struct SlidingSum {
    private static let count = 10

    private let slice: Duration
    private var amounts = [Int](repeating: 0, count: Self.count)
    private var current = 0
    /// When the current slice began.
    private var begin: Instant

    init(over window: Duration, at now: Instant) {
        slice = window / Self.count
        begin = now
    }

    mutating func add(_ amount: Int, at now: Instant) {
        advance(to: now)
        amounts[current] += amount
    }

    mutating func total(at now: Instant) -> Int {
        advance(to: now)
        return amounts.reduce(0, +)
    }

    private mutating func advance(to now: Instant) {
        let passed = Int((begin.duration(to: now) / slice).rounded(.down))
        guard passed > 0 else { return }
        for _ in 0..<min(passed, Self.count) {
            current = (current + 1) % Self.count
            amounts[current] = 0
        }
        begin = begin.advanced(by: slice * passed)
    }
}
