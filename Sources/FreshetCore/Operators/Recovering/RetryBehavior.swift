/// How often to try again after an error, and how long to wait before; see
/// ``ObservableType/retry(_:scheduler:budget:shouldRetry:)``.
public struct RetryBehavior: Sendable {
    /// What chance makes of a wait.
    public enum Jitter: Sendable {
        /// Nothing: everybody who failed at once comes back at once.
        case none
        /// Anything from nothing up to the whole wait, so that those who failed at once come back spread out.
        case full
    }

    /// How many times to subscribe in all, the first included.
    public var maxAttempts: Int
    /// Whether an element makes the next error count as the first: for a stream that lasts, such as one of events.
    public var resetsOnElement = false

    private let delay: @Sendable (_ retry: Int, any Error) throws -> RxTimeInterval?

    private init(
        maxAttempts: Int, _ delay: @escaping @Sendable (_ retry: Int, any Error) throws -> RxTimeInterval?
    ) {
        precondition(maxAttempts >= 1, "RetryBehavior needs a number of attempts of one or more")
        self.maxAttempts = maxAttempts
        self.delay = delay
    }

    /// At once.
    public static func immediate(maxAttempts: Int) -> RetryBehavior {
        RetryBehavior(maxAttempts: maxAttempts) { _, _ in .zero }
    }

    /// After the same `delay` each time.
    public static func delayed(_ delay: RxTimeInterval, maxAttempts: Int = .max) -> RetryBehavior {
        RetryBehavior(maxAttempts: maxAttempts) { _, _ in delay }
    }

    /// After a wait that grows with each retry.
    ///
    ///     .backoff(.milliseconds(100))
    ///     // retry         1       2       3       4      …  11
    ///     // without jitter  100 ms  200 ms  400 ms  800 ms …  60 s
    ///
    /// - Parameters:
    ///   - initial: the wait before the first retry.
    ///   - multiplier: what the wait grows by each time, 1 or more.
    ///   - maximum: what it grows to.
    ///   - jitter: what chance makes of it.
    ///   - maxAttempts: how many attempts there are in all, the first included.
    ///   - random: the chance, from 0 up to 1.
    @preconcurrency
    public static func backoff(
        _ initial: RxTimeInterval, multiplier: Double = 2, maximum: RxTimeInterval = .seconds(60),
        jitter: Jitter = .full, maxAttempts: Int = .max,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) -> RetryBehavior {
        precondition(multiplier >= 1, "RetryBehavior.backoff needs a multiplier of one or more")
        return RetryBehavior(maxAttempts: maxAttempts) { retry, _ in
            let factor = min(power(multiplier, retry - 1), maximum / initial)
            let longest = factor.isFinite ? initial * factor : .zero
            return jitter == .full ? longest * random() : longest
        }
    }

    /// After what `delay` says of the number of the retry, the first being 1, and of the error; not at all after `nil`.
    @preconcurrency
    public static func custom(
        maxAttempts: Int = .max, delay: @escaping @Sendable (_ retry: Int, _ error: any Error) throws -> RxTimeInterval?
    ) -> RetryBehavior {
        RetryBehavior(maxAttempts: maxAttempts, delay)
    }

    /// The wait before a retry, the first being number 1; `nil` for no further one. Chance is asked for each call.
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
