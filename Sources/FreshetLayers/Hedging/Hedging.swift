public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Sends a request a second time, on a connection of its own, if the response takes longer than most responses of that server.
/// The first response wins, and the other attempt is cancelled.
///
///     let budget = RetryBudget(scheduler: runtime.scheduler)
///     let client = runtime.client.with(layers: [Hedging(budget: budget, scheduler: runtime.scheduler)])
///
/// The layer hedges GET, HEAD and OPTIONS requests whose response is not long-lived, and that are not `isOneShot`. The time
/// to wait is measured from the sending of a request to the head of its response, separately for each origin. Each second
/// attempt withdraws from the budget, which retries can share. After a 429, a 503 or a refusal by a ``CircuitBreaking``
/// below, an origin gets no second attempts for its `Retry-After`, or for ten seconds. Source: 'The tail at scale', Finagle's
/// `BackupRequestFilter`.
public struct Hedging: TransportLayer {
    /// When a second attempt is sent.
    public struct Settings: Sendable, Hashable {
        /// The share of responses that arrive without a second attempt, from 0 to 1. 0.95 adds about 5 % of load. A value
        /// outside of this range counts as the nearest in it, and NaN as 1.
        public var percentile = 0.95
        /// The shortest wait, however fast the server is.
        public var minimumDelay: Duration = .milliseconds(1)
        /// The number of responses of an origin before its first second attempt.
        public var minimumResponses = 20
        /// How long an overloaded origin gets no second attempts, if it sends no `Retry-After`.
        public var pause: Duration = .seconds(10)

        public init() {}
    }

    private let settings: Settings
    let budget: RetryBudget
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - settings: when a second attempt is sent.
    ///   - budget: limits the second attempts, each of which withdraws. Requests deposit if `RetryPolicy` has the same budget;
    ///     otherwise the budget's minimum per second is the limit.
    ///   - scheduler: the clock of the waits.
    ///   - secondsSince1970: the wall clock, for a `Retry-After` that is a date in a response without a `Date`.
    @preconcurrency
    public init(
        _ settings: Settings = Settings(), budget: RetryBudget, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) {
        self.settings = settings
        self.budget = budget
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
    }

    public func wrapping(_ transport: any Transport) -> any Transport {
        let origins = BoundedTable<Origin, HedgingOrigin>()
        return ObservableTransport(unprepared: { [self] request, receiver in
            guard Self.canBeHedged(request) else { return transport.parts(request, for: receiver) }
            return HedgedRequest(request, receiver, transport, self, origins).parts
        })
    }

    private static func canBeHedged(_ request: Request) -> Bool {
        [.get, .head, .options].contains(request.method) && request.isResendable && !request.isOneShot
            && request.transfer?.isLongLived != true
    }

    var empty: HedgingOrigin {
        HedgingOrigin(LatencyWindow(percentile: settings.percentile, minimumCount: settings.minimumResponses))
    }

    /// Emits once when the second attempt is due; completes without an element if there is none.
    func hedgeDelay(after threshold: Duration?) -> Observable<Void> {
        guard let threshold else { return .empty() }
        let delay = max(threshold, settings.minimumDelay)
        return Observable<Int>.timer(delay, scheduler: scheduler).map { _ in }
    }

    var now: Instant { scheduler.now }

    /// How long a server that has sent this response gets no second attempts; `nil` if the response is no reason to pause.
    func pause(after head: HTTPResponse) -> Duration? {
        guard head.status == .tooManyRequests || head.status == .serviceUnavailable else { return nil }
        return head.headerFields.retryDelay(at: secondsSince1970()) ?? settings.pause
    }

    func pause(after failure: any Error) -> Duration? {
        (failure as? HTTPClientError)?.code == .circuitOpen ? settings.pause : nil
    }
}
