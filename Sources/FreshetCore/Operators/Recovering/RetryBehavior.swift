/// How often an operator retries after an error, and how long it waits before each retry. See
/// ``ObservableType/retry(_:scheduler:budget:shouldRetry:)``.
public struct RetryBehavior: Sendable {
    /// How a wait is randomized.
    public enum Jitter: Sendable {
        /// The wait is not randomized. Clients that fail at the same time retry at the same time.
        case none
        /// The wait is a random part of the full wait, from zero up. Clients that fail at the same time retry at
        /// different times.
        case full
    }

    /// The total number of subscriptions, including the first.
    public var maxAttempts: Int
    /// Whether an element resets the number of retries, so that the next error counts as the first. Use it for a stream
    /// that lasts, such as a stream of server events.
    public var resetsOnElement = false

    /// The longest time from the first error to the beginning of a retry; `nil` for no limit. If the wait before a retry would end
    /// later, the error is passed on at once. An attempt that runs is not ended. With ``resetsOnElement`` the next error after an
    /// element counts as the first.
    public var maxDuration: RxTimeInterval?

    private let delay: @Sendable (_ retry: Int, any Error) throws -> RxTimeInterval?

    private init(
        maxAttempts: Int, _ delay: @escaping @Sendable (_ retry: Int, any Error) throws -> RxTimeInterval?
    ) {
        precondition(maxAttempts >= 1, "RetryBehavior needs a number of attempts of one or more")
        self.maxAttempts = maxAttempts
        self.delay = delay
    }

    /// Retries at once.
    public static func immediate(maxAttempts: Int) -> RetryBehavior {
        RetryBehavior(maxAttempts: maxAttempts) { _, _ in .zero }
    }

    /// Retries after the same `delay` each time.
    public static func delayed(_ delay: RxTimeInterval, maxAttempts: Int = .max) -> RetryBehavior {
        RetryBehavior(maxAttempts: maxAttempts) { _, _ in delay }
    }

    /// Retries after a wait that grows with each retry.
    ///
    ///     .backoff(.milliseconds(100))
    ///     // retry         1       2       3       4      …  11
    ///     // without jitter  100 ms  200 ms  400 ms  800 ms …  60 s
    ///
    /// - Parameters:
    ///   - initial: the wait before the first retry, zero or more.
    ///   - multiplier: the factor by which the wait grows with each retry, 1 or more.
    ///   - maximum: the upper limit of the wait, zero or more.
    ///   - jitter: how the wait is randomized.
    ///   - maxAttempts: the total number of attempts, including the first.
    ///   - random: returns a random number from 0 up to, but not including, 1.
    @preconcurrency
    public static func backoff(
        _ initial: RxTimeInterval, multiplier: Double = 2, maximum: RxTimeInterval = .seconds(60),
        jitter: Jitter = .full, maxAttempts: Int = .max,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) -> RetryBehavior {
        precondition(multiplier >= 1, "RetryBehavior.backoff needs a multiplier of one or more")
        precondition(initial >= .zero && maximum >= .zero, "RetryBehavior.backoff needs waits of zero or more")
        return RetryBehavior(maxAttempts: maxAttempts) { retry, _ in
            let factor = min(power(multiplier, retry - 1), maximum / initial)
            let longest = factor.isFinite ? initial * factor : .zero
            return jitter == .full ? longest * random() : longest
        }
    }

    /// Retries after the wait that `delay` returns for the number of the retry, which begins at 1, and the error. `nil`
    /// ends the retries.
    @preconcurrency
    public static func custom(
        maxAttempts: Int = .max, delay: @escaping @Sendable (_ retry: Int, _ error: any Error) throws -> RxTimeInterval?
    ) -> RetryBehavior {
        RetryBehavior(maxAttempts: maxAttempts, delay)
    }

    /// Returns the wait before a retry, or `nil` for no further retry. The number of the first retry is 1. With jitter,
    /// each call returns a new random wait.
    public func wait(beforeRetry retry: Int, after error: any Error) throws -> RxTimeInterval? {
        retry < maxAttempts ? try delay(retry, error) : nil
    }

    private static func power(_ base: Double, _ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, base, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }
}
