import FreshetHTTP
import HTTPTypes

extension RefreshGate {
    /// What a gate's rules are. Each number says its unit, and whom it is taken from.
    public struct Settings: Sendable {
        /// At most so many refreshes in ``refreshWindow``, then requests fail with `refreshStorm`. What another gate or
        /// program has refreshed does not count, nor what failed, which is the ``circuitBreaker-swift.property``'s. Renewing in
        /// the background takes every other of them at most, and leaves the rest to those who have no other way. Source: Alamofire's `RefreshWindow`, 5 in 30 s.
        public var refreshLimit = 5
        /// The time in which ``refreshLimit`` refreshes are allowed.
        public var refreshWindow: Duration = .seconds(30)
        /// How long before its end a credential begins to be renewed in the background, while the old one serves.
        public var advisoryWindow = AdvisoryWindow.byLifetime
        /// After a renewal in the background has failed, none is tried for a random time between half of this and this; or
        /// of half the window, where that is less. Source: AWS's 300 to 600 s.
        public var advisoryPause: Duration = .seconds(600)
        /// A credential is renewed before it is used if it ends in so short a time, or in a tenth of its life if that is
        /// less. After a try that failed it serves to its end, and is renewed in the background. Source: AWS's 1 min.
        public var mandatoryWindow: Duration = .seconds(60)
        /// What a request does that comes while a refresh is waited for.
        public var whileRefreshing = WhileRefreshing.wait
        /// When those who wait for a refresh are told that it has failed, with the time for the store's lock and for writing.
        /// An answer that is late is still stored, for the server may have spent the old refresh token: it is waited for as
        /// long again, and who comes meanwhile waits for it too, and then gets a try of its own.
        public var deadline: Duration = .seconds(30)
        /// When asking the server to forget a credential is given up. A logout ends so much later at worst.
        public var revocationDeadline: Duration = .seconds(5)
        /// When the refresh endpoint is let rest after failures.
        public var circuitBreaker = Breaker()
        /// What the endpoint asks for with `Retry-After` is kept to, up to so long: an hour, so that no slip of a server's
        /// ends a program for good.
        public var longestRetryAfter: Duration = .seconds(3600)
        /// For so long who comes late with a failure of a credential is told what came of its refresh, without another: as
        /// long as a request may be on its way.
        public var failureMemory: Duration = .seconds(30)
        /// How often one use of a credential is repeated.
        public var maximumReplays = 2
        /// What a request does whose response demands another login; see ``RefreshGate/stepUpRequired``.
        public var whenStepUpIsRequired = StepUpPolicy.deliver
        /// What a request does that needs a login; see ``RefreshGate/loginRequired``.
        public var whenLoginIsRequired = LoginPolicy.fail
        /// Bounds the requests that wait for a login.
        public var loginWait = LoginWait()
        /// Whether the credential is refreshed in time while no request needs it. The wall clock is read every 30 s, as the
        /// monotonic one stands still while a machine is suspended.
        public var refreshesWhileIdle = false
        /// Whether a person has to log in after a refusal. If not, a refusal is not marked in the store, and the next
        /// request tries again.
        public var needsLogin = true
        /// Where chance comes from: a number from 0 up to 1.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }
        /// Whether an error says that the credential has ended, where the caller does not say. By default an
        /// `HTTPClientError` about a response that the gate's authenticator takes for the sign; without an authenticator
        /// one that ``ExpiryRule`` matches as they are: a 401.
        public var isExpired: @Sendable (any Error) -> Bool = Settings.isExpired {
            didSet { hasSignOfItsOwn = true }
        }
        /// Whether ``isExpired`` was set.
        private(set) var hasSignOfItsOwn = false
        /// Whether a refresh that failed with this error was refused for good, so that the session is over. By default
        /// a ``RefreshRefusal``, and an `HTTPClientError` about a response with one of ``OAuthErrorCode/final``, or with a
        /// status of 400, 401 or 403 and no registered `error`. Everything else may pass: the tokens are kept.
        public var isRefusal: @Sendable (any Error) -> Bool = Settings.isRefusal

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
    /// How long before its end a credential begins to be renewed in the background. Never more than half of its life, which
    /// is what it had left when the gate came by it.
    public enum AdvisoryWindow: Sendable, Hashable {
        /// 5 minutes of a life of up to 20, 15 of one under 90, else 60. Source: the rule of AWS's clients.
        case byLifetime
        case fixed(Duration)
        /// It is renewed only when that can't be put off.
        case off

        func seconds(of life: Double) -> Double {
            switch self {
            case .byLifetime: life <= 20 * 60 ? 5 * 60 : life < 90 * 60 ? 15 * 60 : 60 * 60
            case .fixed(let window): window / .seconds(1)
            case .off: 0
            }
        }
    }

    /// What a request does that comes while a refresh is waited for.
    public enum WhileRefreshing: Sendable, Hashable {
        /// It waits too.
        case wait
        /// It goes with the old credential, as long as that has not ended by the clock: for servers that refuse some
        /// requests sooner than others. If it is refused, it waits after all.
        case useOld
    }

    /// When the refresh endpoint is let rest: who needs it then fails at once, with what came of the last try; who can still
    /// use the old credential does. Then one refresh tries; a success ends it.
    public struct Breaker: Sendable, Hashable {
        /// After so many failures in a row that may pass, each of which the next request has tried again…
        public var failures = 5
        /// …for a random time between half of this and this, doubled with each further failure…
        public var pause: Duration = .seconds(1)
        /// …up to this.
        public var longestPause: Duration = .seconds(30)

        public init() {}
    }
}

extension RefreshGate.Settings {
    /// - Parameter revokes: whether there is a server to be told of a logout.
    func limits(revokes: Bool) -> RefreshStateMachine.Limits {
        .init(
            refreshes: refreshLimit, window: refreshWindow,
            windows: .init(
                advisory: advisoryWindow, mandatory: mandatoryWindow / .seconds(1),
                refreshesIdleTokens: refreshesWhileIdle),
            longestPause: advisoryPause / .seconds(1), usesOld: whileRefreshing == .useOld,
            circuitBreaker: circuitBreaker,
            longestRetryAfter: longestRetryAfter, memory: failureMemory, needsLogin: needsLogin, revokes: revokes)
    }
}
