/// Limits the retries of a whole program to a share of its requests, so that a failing service does not also receive
/// every request several times.
///
/// Each request deposits, and each retry withdraws. A retry for which the balance is too low is not made: the error is
/// passed on, or the response is delivered unchanged. Deposits and withdrawals expire after ``window``.
/// `minimumPerSecond` retries per second are always granted, for programs that have just started or send few requests.
///
///     let budget = RetryBudget(ratio: 0.1, scheduler: loop)
///     requests.flatMap { request in
///         send(request).retry(.backoff(.milliseconds(100), maxAttempts: 4), scheduler: loop, budget: budget)
///     }
///
/// Share one budget among all requests to a service. It can be used from any thread. Source: Finagle's `RetryBudget`.
public final class RetryBudget: Sendable {
    /// The number of retries that a request pays for. 0.2 is one retry per five requests.
    public let ratio: Double
    /// The number of retries per second that are granted without a deposit.
    public let minimumPerSecond: Int
    /// The time after which a deposit or a withdrawal expires.
    public let window: Duration

    private let scheduler: any SchedulerType
    private let state: Locked<SlidingSum>
    /// The amounts of a deposit and of a withdrawal, in thousandths of a deposit.
    private let (deposited, withdrawn): (Int, Int)
    /// The balance without any deposit.
    private let reserve: Int

    /// - Parameters:
    ///   - ratio: the number of retries that a request pays for, from 0 to 1000. A ratio below a millionth, but not
    ///     zero, counts as a millionth.
    ///   - minimumPerSecond: the number of retries per second that are granted without a deposit.
    ///   - window: the time after which a deposit or a withdrawal expires, from 1 to 60 seconds.
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
        (deposited, withdrawn) = ratio == 0 ? (0, 1000) : (1000, max(1, Int((1000 / max(ratio, 1e-6)).rounded())))
        reserve = Int(Double(minimumPerSecond) * (window / .seconds(1))) * withdrawn
        state = Locked(SlidingSum(over: window, at: scheduler.now))
    }

    /// Records a request, which pays for ``ratio`` retries.
    public func deposit() {
        let now = scheduler.now
        state.withLock { $0.add(deposited, at: now) }
    }

    /// Withdraws the amount of one retry.
    ///
    /// - Returns: whether the retry can be made. If `false`, the balance is unchanged.
    public func tryWithdraw() -> Bool {
        let now = scheduler.now
        return state.withLock { sum in
            guard sum.total(at: now) + reserve >= withdrawn else { return false }
            sum.add(-withdrawn, at: now)
            return true
        }
    }

    /// The number of retries that can be made now.
    public var balance: Int {
        let now = scheduler.now
        return max(0, state.withLock { $0.total(at: now) } + reserve) / withdrawn
    }
}

/// The sum of the amounts within a sliding window, which is divided into ten slices.
private struct SlidingSum {
    private static let count = 10

    private let slice: Duration
    private var amounts = [Int](repeating: 0, count: Self.count)
    private var current = 0
    /// The start of the current slice.
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
        let slices = begin.duration(to: now) / slice
        // The number of slices can be beyond the range of integers.
        guard slices < Double(Self.count) else { return self = SlidingSum(over: slice * Self.count, at: now) }
        guard slices >= 1 else { return }
        let passed = Int(slices)
        for _ in 0..<passed {
            current = (current + 1) % Self.count
            amounts[current] = 0
        }
        begin = begin.advanced(by: slice * passed)
    }
}
