import HTTPTypes

extension TokenServer {
    /// How a ``TokenServer`` behaves.
    public struct Rules: Sendable {
        /// When access tokens end.
        public var expiry = Expiry.never
        /// What a request with an ended token is answered; one without a token, or an unknown one, too.
        public var expiryResponse = ExpiryResponse.unauthorized
        /// Whether each refresh gives a new refresh token and spends the old one.
        public var rotatesRefreshTokens = true
        /// Whether the reuse of a spent refresh token ends the session. Source: RFC 9700 section 4.14.2.
        public var revokesOnReuse = true
        /// What a refresh with a token that is spent, revoked or unknown is answered.
        public var refusal = ScriptedResponse.json(#"{"error":"invalid_grant"}"#, status: .badRequest)
        /// How long the answer to a refresh is held back. The tokens have been exchanged by then.
        public var refreshDelay = Duration.zero
        /// How long the answer to an accepted request is held back.
        public var responseDelay = Duration.zero
        /// The time between two events of `/events`.
        public var eventInterval = Duration.milliseconds(100)
        /// Where the access token is in a request.
        public var accessToken: @Sendable (RecordedRequest) -> String? = { $0.bearerToken }

        public init(expiry: Expiry = .never) {
            self.expiry = expiry
        }
    }

    /// When access tokens end.
    public enum Expiry: Sendable, Hashable {
        case never
        /// The first token after the first count of accepted requests, the second after the second, and so on; those
        /// beyond the list never. The number of expiries is that of the list, as soon as more requests are made than it
        /// has uses, however fast the machine is and however many come at once. A token should have more uses than
        /// requests are in flight: with fewer, a request can be refused with several tokens in a row.
        case afterUses([Int])
        /// Every token after this count of accepted requests.
        case everyUses(Int)
        /// Every token after this time, which the answer to a refresh tells as `expires_in`.
        case after(Duration)

        /// `total` requests in even shares, so that there are exactly `expiries`.
        public static func sharing(_ total: Int, expiries: Int) -> Expiry {
            .afterUses(Array(repeating: max(1, total / (expiries + 1)), count: expiries))
        }
    }

    /// An access token and what renews it. Its description shows neither.
    public struct Tokens: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The how-many-th access token of its server, from 1.
        public var number: Int
        public var accessToken: String
        public var refreshToken: String?
        public var lifetime: Duration?

        public var description: String { "tokens #\(number)" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: ["number": number]) }
    }

    /// How often what happened.
    public struct Counts: Sendable, Hashable {
        /// Requests that were let in.
        public var accepted = 0
        /// Requests that were given the expired sign.
        public var rejected = 0
        /// Access tokens that were given the expired sign at least once.
        public var expiries = 0
        /// Refreshes that were granted.
        public var refreshes = 0
        /// Refreshes that were refused.
        public var refusals = 0
        /// Of these, those with a refresh token that was spent already.
        public var reuses = 0
        /// Sessions that were opened; their first tokens are no refresh.
        public var logins = 0
        /// Event streams that were let in.
        public var streams = 0

        public init() {}
    }
}
