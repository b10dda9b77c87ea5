public import FreshetCore
public import FreshetHTTP

/// Fails requests to a server at once while the server fails, separately for each origin. See `CircuitBreaker`.
///
/// A failure is an error of the network, a status of 500 or above, or 429. A single response of 500 or above with
/// `Retry-After` opens the circuit for at least that time. A 429 with `Retry-After` only lengthens the pause of a circuit
/// that is open, because it limits one caller's requests; a learned ``RateLimit`` respects it. A request that its caller or
/// its `timeout` cancels before the response does not count, unless it has taken as long as `Settings.slowCall`. Without
/// `slowCall`, only the limits of `TransferOptions` show that a server does not respond. A request that fails or is cancelled
/// before it is sent does not count, for example because a login is required. A request is a success when its response has
/// ended, and a long-lived one, such as an event stream, when its response has begun.
///
/// A refused request fails with code `circuitOpen`. During a pause it fails at once, and `remainingPause` of the error says how long
/// the pause still lasts. Beside a running probe it fails when its turn to be sent has come, so that an error of its own, such as
/// a missing login, comes first.
public struct CircuitBreaking: TransportLayer {
    let settings: CircuitBreaker.Settings
    let longestRetryAfter: Duration
    let scheduler: any SchedulerType
    let onTransition: @Sendable (Origin, CircuitBreaker.Phase) -> Void
    let random: @Sendable () -> Double
    let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - settings: when a circuit opens, and for how long.
    ///   - longestRetryAfter: the longest `Retry-After` that a circuit respects.
    ///   - scheduler: the clock of the pauses.
    ///   - onTransition: called when the circuit of an origin enters another phase, on the thread of the request that causes it.
    ///     Calls from different threads can arrive out of order. A new circuit is closed, and no call reports that. With more
    ///     than 4096 origins one is forgotten, and its next circuit is new.
    ///   - random: a number from 0 up to 1 that shortens each pause by up to a half: 1 leaves the whole pause.
    ///   - secondsSince1970: the wall clock, for a `Retry-After` that is a date in a response without a `Date`.
    @preconcurrency
    public init(
        _ settings: CircuitBreaker.Settings = .init(), longestRetryAfter: Duration = .seconds(3600),
        scheduler: any SchedulerType,
        onTransition: @escaping @Sendable (Origin, CircuitBreaker.Phase) -> Void = { _, _ in },
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.settings = settings
        self.longestRetryAfter = longestRetryAfter
        self.scheduler = scheduler
        self.onTransition = onTransition
        self.random = random
        self.secondsSince1970 = secondsSince1970
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        GuardedTransport(below: transport, circuits: OriginCircuits(of: self))
    }
}

private struct GuardedTransport: Transport {
    let below: any Transport
    let circuits: OriginCircuits

    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        GuardedTransfer(
            request, to: receiver, over: below, OriginCircuit(origin: request.url.origin, circuits: circuits))
    }
}
