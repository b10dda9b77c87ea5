import HTTPTypes

extension TokenServer {
    /// The rules by which a ``TokenServer`` behaves.
    public struct Rules: Sendable {
        /// When access tokens expire.
        public var expiry = Expiry.never
        /// The response to a request with an expired token, without a token or with an unknown token.
        public var expiryResponse = ExpiryResponse.unauthorized
        /// Whether each refresh returns a new refresh token and spends the old one.
        public var rotatesRefreshTokens = true
        /// Whether the reuse of a spent refresh token ends the session. Source: RFC 9700 section 4.14.2.
        public var revokesOnReuse = true
        /// The response to a refresh with a token that is spent, revoked or unknown.
        public var refusal = ScriptedResponse.json(#"{"error":"invalid_grant"}"#, status: .badRequest)
        /// How long the response to a refresh is delayed. The server exchanges the tokens before the delay.
        public var refreshDelay = Duration.zero
        /// How long the response to an accepted request is delayed.
        public var responseDelay = Duration.zero
        /// The time between two events of `/events`.
        public var eventInterval = Duration.milliseconds(100)
        /// Returns the access token of a request.
        public var accessToken: @Sendable (RecordedRequest) -> String? = { $0.bearerToken }

        public init(expiry: Expiry = .never) {
            self.expiry = expiry
        }
    }

    /// When access tokens expire.
    public enum Expiry: Sendable, Hashable {
        case never
        /// The first token expires after the first count of accepted requests, the second token after the second count,
        /// and so on. Tokens beyond the list never expire.
        ///
        /// If there are more requests than the list has uses in total, exactly as many tokens expire as the list has
        /// entries, regardless of the machine's speed and of the number of concurrent requests. A token should have
        /// more uses than requests are in flight. With fewer, several tokens in a row can be refused for the same
        /// request.
        case afterUses([Int])
        /// Every token expires after this count of accepted requests.
        case everyUses(Int)
        /// Every token expires after this time. The response to a refresh contains it as `expires_in`, in whole seconds
        /// and at least 1.
        case after(Duration)

        /// Shares `total` requests evenly, so that exactly `expiries` tokens expire. If `total` is not larger than that,
        /// each request but the last expires a token.
        public static func evenlySpread(overRequests total: Int, expiries: Int) -> Expiry {
            let expiries = max(0, expiries)
            return .afterUses(Array(repeating: max(1, total / (expiries + 1)), count: expiries))
        }
    }

    /// An access token and its refresh token. The description shows neither.
    public struct Tokens: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The number of the access token on its server, from 1.
        public var number: Int
        public var accessToken: String
        public var refreshToken: String?
        public var lifetime: Duration?

        public var description: String { "tokens #\(number)" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: ["number": number]) }
    }

    /// The number of times that each kind of event has happened.
    public struct Counts: Sendable, Hashable {
        /// Requests that were accepted.
        public var accepted = 0
        /// Requests that were refused because of their token: it has expired, is unknown or is missing.
        public var rejected = 0
        /// Access tokens that were reported as expired at least once.
        public var expiries = 0
        /// Refreshes that were granted.
        public var refreshes = 0
        /// Refreshes that were refused.
        public var refusals = 0
        /// Refused refreshes with a refresh token that was already spent.
        public var reuses = 0
        /// Sessions that were opened. Their first tokens do not count as a refresh.
        public var logins = 0
        /// Event streams that were admitted.
        public var streams = 0

        public init() {}
    }
}
