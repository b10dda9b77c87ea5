public import FreshetCore
public import HTTPTypes
import Synchronization

/// Retries after responses and failures that may be temporary, with backoff and jitter, or after the delay that the server asks
/// for.
///
/// A request that the server may have acted upon is retried only if its method is idempotent (RFC 9110 section 9.2.2), if the
/// server refused it with 429 or 503 and `Retry-After`, or if no byte of it had been sent.
public struct RetryPolicy: RequestInterceptor {
    /// How many retries a request gets from this policy. The retries of other interceptors do not count.
    public var limit: Int
    /// The statuses that are retried.
    public var statusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The failures of attempts that are retried. An error of an interceptor, such as `refreshFailed` and `loginRequired`, ends the
    /// request without a retry; `retry(_:scheduler:budget:shouldRetry:)` sends the whole request again. With `circuitOpen` among
    /// them, a retry waits for the rest of the circuit's pause as for a `Retry-After`.
    public var errorCodes: Set<HTTPClientError.Code> = [.resolve, .connect, .connectionLost, .timeout]
    /// Whether requests of every method are retried, including those that the server may have acted upon.
    public var includesAllMethods = false
    /// The longest delay before the first retry; it doubles with each retry.
    public var baseDelay: Duration = .milliseconds(500)
    /// The longest delay of the backoff. A server's `Retry-After` may be longer.
    public var maximumDelay: Duration = .seconds(30)
    /// The longest `Retry-After` that a request waits for. A response that asks for more is delivered. `nil` is no limit but
    /// what is left of the request's timeout.
    public var longestRetryAfter: Duration?
    /// By which share of a `Retry-After` its wait is longer at random, and at least by up to 100 ms, so that clients that were told
    /// the same time do not come back together; 0.1 is a tenth. With 0, the default, the wait is exact.
    public var retryAfterJitter = 0.0
    /// Limits the retries of all requests together; `nil` is no limit beyond ``limit``. All clients of a service should share
    /// one budget. Each request deposits once, and each retry withdraws.
    public var budget: RetryBudget?

    private let random: @Sendable () -> Double
    private let secondsSince1970: @Sendable () -> Double

    /// Makes a policy that retries a request up to `limit` times. Source: the default is that of Alamofire's `retryLimit`.
    ///
    /// - Parameters:
    ///   - limit: how many retries a request gets.
    ///   - random: the jitter, from 0 up to 1.
    ///   - secondsSince1970: the wall clock, for a `Retry-After` that is a date in a response without a `Date`.
    @preconcurrency
    public init(
        limit: Int = 2, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.limit = limit
        self.random = random
        self.secondsSince1970 = secondsSince1970
    }

    public func adapt(_ request: inout Request) -> Adaptation {
        if request.tags[RetryTally.self] == nil { request.tags[RetryTally.self] = RetryTally() }
        return .ready
    }

    /// Deposits for the request when it goes out for the first time, because a request can be adapted several times before.
    public func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        if let budget, let tally = request.tags[RetryTally.self],
            !tally.hasDeposited.exchange(true, ordering: .relaxed)
        {
            budget.deposit()
        }
        return nil
    }

    public func account(of request: Request) -> AccountResolution { .ready(nil) }

    public func retry(_ attempt: Attempt) -> Single<RetryResult> {
        let tally = attempt.request.tags[RetryTally.self]
        // Attempts that others have requested, such as a replay after a refresh, do not count against the limit.
        let number = tally.map { $0.retries.load(ordering: .relaxed) + 1 } ?? attempt.number
        let decision = decision(about: attempt, number: number)
        guard case .retryWithDelay(let delay) = decision else { return .just(decision) }
        // The client would not repeat these, and the budget would lose a retry.
        let isOneShot = attempt.original.isOneShot || attempt.request.isOneShot
        if isOneShot, !attempt.outcome.isUnsent { return .just(.doNotRetry) }
        if let timeLeft = attempt.timeLeft, delay >= timeLeft { return .just(.doNotRetry) }
        if let budget, !budget.tryWithdraw() { return .just(.doNotRetry) }
        tally?.retries.add(1, ordering: .relaxed)
        return .just(decision)
    }

    /// The policy needs the head alone. A short body is read too, so that its connection can be used again.
    public func peek(at head: HTTPResponse, of request: Request) -> Peek {
        statusCodes.contains(head.status.code) ? .body(limit: 64 * 1024) : .nothing
    }

    private func decision(about attempt: Attempt, number: Int) -> RetryResult {
        guard number <= limit else { return .doNotRetry }
        switch attempt.outcome {
        case .response(let response):
            guard statusCodes.contains(response.status.code) else { return .doNotRetry }
            let requested = response.headers.retryDelay(at: secondsSince1970())
            let wasRefused = requested != nil && [429, 503].contains(response.status.code)
            guard wasRefused || canRepeat(attempt.request) else { return .doNotRetry }
            if let requested, let longestRetryAfter, requested > longestRetryAfter { return .doNotRetry }
            return .retryWithDelay(requested.map(spread) ?? backoff(before: number))
        case .failure(let error):
            guard let error = error as? HTTPClientError, errorCodes.contains(error.code),
                error.isUnsent || canRepeat(attempt.request)
            else { return .doNotRetry }
            let requested = error.remainingPause
            if let requested, let longestRetryAfter, requested > longestRetryAfter { return .doNotRetry }
            return .retryWithDelay(requested.map(spread) ?? backoff(before: number))
        }
    }

    private func canRepeat(_ request: Request) -> Bool {
        includesAllMethods || request.method.isIdempotent
    }

    private func spread(_ requested: Duration) -> Duration {
        guard retryAfterJitter > 0 else { return requested }
        return requested + max(requested * retryAfterJitter, .milliseconds(100)) * random()
    }

    /// Full jitter: a random delay from zero up to the doubled base, 0.5 s, 1 s, 2 s … 30 s.
    private func backoff(before number: Int) -> Duration {
        let factor = 1 << min(number - 1, 16)
        // Compared before it is multiplied, because the product can overflow.
        return min(baseDelay, maximumDelay / factor) * factor * random()
    }
}

/// The tag that counts the retries that the policy has requested.
private final class RetryTally: RequestTag {
    let retries = Atomic<Int>(0)
    let hasDeposited = Atomic<Bool>(false)
}

extension HTTPRequest.Method {
    /// Whether sending a request twice has the same effect as sending it once. Source: RFC 9110 section 9.2.2.
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .put, .delete, .trace: true
        default: false
        }
    }
}
