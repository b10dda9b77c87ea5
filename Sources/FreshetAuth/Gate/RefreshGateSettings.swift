import FreshetHTTP
import HTTPTypes

extension RefreshGate {
    /// What a gate's rules are.
    public struct Settings: Sendable {
        /// At most so many refreshes in ``refreshWindow``, then requests fail with `refreshStorm`. What another gate or
        /// program has refreshed does not count.
        public var refreshLimit = 5
        public var refreshWindow: Duration = .seconds(30)
        /// A credential is refreshed so long before it ends, or a tenth of its life if that is less.
        public var mandatoryWindow: Duration = .seconds(60)
        /// When a refresh is given up, with the time for the store's lock and for writing.
        public var deadline: Duration = .seconds(30)
        /// How often one use of a credential is repeated.
        public var maximumReplays = 2
        /// Whether a person has to log in after a refusal. If not, a refusal is not marked in the store, and the next
        /// request tries again.
        public var needsLogin = true
        /// Whether an error says that the credential has ended, where the caller does not say. By default an
        /// `HTTPClientError` about a response with status 401.
        public var isExpired: @Sendable (any Error) -> Bool = { error in
            (error as? HTTPClientError)?.response?.status.code == 401
        }
        /// Whether a refresh that failed with this error was refused for good, so that the session is over. By default
        /// a ``RefreshRefusal``, and an `HTTPClientError` about a response with one of ``OAuthErrorCode/final``, or with a
        /// status of 400, 401 or 403 and no registered `error`. Everything else may pass: the tokens are kept.
        public var isRefusal: @Sendable (any Error) -> Bool = Settings.isRefusal

        public init() {}

        /// The default of ``isRefusal-swift.property``.
        @Sendable
        public static func isRefusal(_ error: any Error) -> Bool {
            RefreshVerdict.isRefusal(error)
        }
    }
}

extension RefreshGate.Settings {
    var limits: RefreshStateMachine.Limits {
        .init(
            refreshes: refreshLimit, window: refreshWindow, mandatoryWindow: mandatoryWindow / .seconds(1),
            needsLogin: needsLogin)
    }
}
