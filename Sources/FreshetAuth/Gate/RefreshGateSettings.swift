public import FreshetHTTP
import HTTPTypes

extension RefreshGate {
    /// The rules of a gate. The comment of each number names its unit and its source.
    public struct Settings: Sendable {
        /// The largest number of refreshes within ``refreshWindow``; further requests fail with `refreshStorm`. Refreshes of
        /// other gates or processes do not count. Failed refreshes do not count either; ``circuitBreaker-swift.property``
        /// limits those. Background refreshes use at most every second one, and leave the rest to requests that depend on a
        /// refresh. Source: Alamofire's `RefreshWindow`, 5 in 30 s.
        public var refreshLimit = 5
        /// The period to which ``refreshLimit`` applies.
        public var refreshWindow: Duration = .seconds(30)
        /// How long before its expiry a credential is refreshed in the background. Requests use the old credential during the
        /// refresh.
        public var advisoryWindow = AdvisoryWindow.byLifetime
        /// The longest pause after a failed background refresh; the limit is half of the advisory window if that is shorter.
        /// The pause is random, between half of the limit and the limit. Source: AWS's 300 to 600 s.
        public var advisoryPause: Duration = .seconds(600)
        /// How long before its expiry a credential is refreshed before a request uses it; at most a tenth of its lifetime. After
        /// a failed refresh the credential is used until it expires, and is refreshed in the background. Source: AWS's 1 min.
        public var mandatoryWindow: Duration = .seconds(60)
        /// Selects the outcome of a new request during a refresh that other requests wait for.
        public var whileRefreshing = WhileRefreshing.wait
        /// How long a refresh may take, with the time for the store's lock, before its waiters are told that it has failed. The
        /// gate then waits for a late response for the same time again, and stores it, because the server can have invalidated
        /// the old refresh token. New requests wait for it too, and start their own refresh after it. Each write of the store may
        /// take as long again.
        public var deadline: Duration = .seconds(30)
        /// How long the gate waits for a revocation. It delays a logout by at most this time.
        public var revocationDeadline: Duration = .seconds(5)
        /// When the gate stops asking the refresh endpoint: by default after 5 failures in a row, each of them possibly temporary,
        /// for a pause of up to a second, and of up to 30 s after further failures. During the pause, a request that needs a
        /// refresh fails at once with the last failure, and a request that can use the old credential uses it. After the pause
        /// one refresh tries the endpoint.
        public var circuitBreaker = CircuitBreaker.Settings.refreshing
        /// The longest `Retry-After` of the refresh endpoint that the gate obeys: an hour by default, so that a server's
        /// mistake cannot stop a program for good.
        public var longestRetryAfter: Duration = .seconds(3600)
        /// How long a failed refresh counts for requests that were sent with the same credential before it failed. They receive its
        /// error without another refresh. It does not limit the refreshes for later requests, which ``circuitBreaker`` does.
        public var failureCacheDuration: Duration = .seconds(30)
        /// How often one use of a credential is repeated at most.
        public var maximumReplays = 2
        /// Selects the outcome of a request whose response demands another login; see ``RefreshGate/stepUpRequired``.
        public var whenStepUpIsRequired = StepUpPolicy.deliver
        /// Selects the outcome of a request that needs a login; see ``RefreshGate/loginRequired``.
        public var whenLoginIsRequired = LoginPolicy.fail
        /// Bounds the requests that wait for a login.
        public var loginWait = LoginWait()
        /// Whether the credential is refreshed in time while no request needs it. The gate reads the wall clock every 30 s,
        /// because the monotonic clock stands still while a machine is suspended.
        public var refreshesWhileIdle = false
        /// Whether a person has to log in after a refusal. If not, the store does not record the refusal, and the next request
        /// tries again.
        public var needsLogin = true
        /// The source of random numbers, from 0 up to 1.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }
        /// Whether an error reports an expired credential. It applies where the caller gives no rule of its own. By default it
        /// matches an `HTTPClientError` about a response that the gate's authenticator recognises as an expired credential.
        /// Without an authenticator it matches one whose response the default ``ExpiryRule`` matches: a 401.
        public var isExpired: @Sendable (any Error) -> Bool = Settings.isExpired {
            didSet { hasCustomRule = true }
        }
        /// Whether ``isExpired`` was set.
        private(set) var hasCustomRule = false
        /// Whether an error of a refresh is a final refusal, which ends the session. By default it matches a
        /// ``RefreshRefusal``, and an `HTTPClientError` about a response with one of ``OAuthErrorCode/final``, or with a status
        /// of 400, 401 or 403 and no `error`, if it came as a whole. All other errors can be temporary, and the gate keeps the
        /// tokens.
        public var isRefusal: @Sendable (any Error) -> Bool = Settings.isRefusal

        /// Whether the gate's authenticator can make a credential usable; see ``Authenticator/canApply(_:)``.
        var canApply: @Sendable (Credential) -> Bool = { _ in true }

        public init() {}

        @Sendable
        private static func isExpired(_ error: any Error) -> Bool {
            (error as? HTTPClientError)?.response.map(ExpiryRule().match) ?? false
        }

        /// The default of ``isRefusal-swift.property``.
        @Sendable
        public static func isRefusal(_ error: any Error) -> Bool {
            RefreshVerdict.isRefusal(error)
        }
    }
}

extension RefreshGate.Settings {
    /// How long before its expiry a credential is refreshed in the background. It is never more than half of the lifetime that
    /// the credential had left when the gate received it.
    public enum AdvisoryWindow: Sendable, Hashable {
        /// 5 minutes for a lifetime of up to 20 minutes, 15 minutes for one under 90 minutes, otherwise 60 minutes. Source: the
        /// rule of AWS's clients.
        case byLifetime
        case fixed(Duration)
        /// The credential is never refreshed in the background, only when a request has to wait for it.
        case off

        func seconds(of life: Double) -> Double {
            switch self {
            case .byLifetime: life <= 20 * 60 ? 5 * 60 : life < 90 * 60 ? 15 * 60 : 60 * 60
            case .fixed(let window): window / .seconds(1)
            case .off: 0
            }
        }
    }

    /// Selects the outcome of a new request during a refresh that other requests wait for.
    public enum WhileRefreshing: Sendable, Hashable {
        /// The request waits too.
        case wait
        /// The request uses the old credential until that expires by the clock. This suits servers that refuse some requests
        /// earlier than others. A refused request then waits for the refresh.
        case useOld
    }
}

extension CircuitBreaker.Settings {
    /// The first pause is the time of a restart behind a balancer.
    static let refreshing: Self = {
        var settings = Self()
        settings.consecutiveFailures = 5
        settings.failureRate = nil
        settings.pause = .seconds(1)
        settings.longestPause = .seconds(30)
        return settings
    }()
}
