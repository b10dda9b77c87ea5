public import FreshetHTTP
import HTTPTypes

/// The `error` of a token endpoint, a revocation endpoint or a resource server.
///
/// A server can send any text; the names here are the registered ones. Source: RFC 6749 sections 5.2 and 4.1.2.1, RFC 7009
/// section 2.2.1, RFC 8628 section 3.5, RFC 8707 section 2, RFC 9449, RFC 9470, and OpenID Connect Core section 3.1.2.6.
public struct OAuthErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let invalidRequest = Self(rawValue: "invalid_request")
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The refresh token is spent, revoked, or was issued to another client.
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    public static let invalidScope = Self(rawValue: "invalid_scope")
    public static let invalidTarget = Self(rawValue: "invalid_target")
    public static let accessDenied = Self(rawValue: "access_denied")
    public static let expiredToken = Self(rawValue: "expired_token")
    public static let invalidToken = Self(rawValue: "invalid_token")
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    public static let interactionRequired = Self(rawValue: "interaction_required")
    public static let loginRequired = Self(rawValue: "login_required")
    public static let consentRequired = Self(rawValue: "consent_required")
    /// The user has to log in again, with a stronger method or more recently. Source: RFC 9470 section 3.
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    /// The client has to send the same request with another proof, which contains the nonce of this response. Source: RFC 9449
    /// section 8.
    public static let useDPoPNonce = Self(rawValue: "use_dpop_nonce")
    public static let invalidDPoPProof = Self(rawValue: "invalid_dpop_proof")
    /// The server cannot revoke tokens of this type.
    public static let unsupportedTokenType = Self(rawValue: "unsupported_token_type")
    public static let serverError = Self(rawValue: "server_error")
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    public static let slowDown = Self(rawValue: "slow_down")
    public static let authorizationPending = Self(rawValue: "authorization_pending")
    /// GitHub's name of ``invalidGrant``.
    public static let badRefreshToken = Self(rawValue: "bad_refresh_token")

    /// The errors of a refresh after which a login is required. Every other error leaves the tokens in the store: another
    /// setting of the client, or another attempt, can succeed with them.
    public static let final: Set<Self> = [
        .invalidGrant, .badRefreshToken, .expiredToken, .invalidToken, .interactionRequired, .loginRequired,
        .consentRequired,
    ]

    /// The member `error` of the response's JSON object.
    public init?(_ response: Response) {
        guard case .object(let members)? = try? JSONValue(response.body), case .string(let name)? = members["error"],
            !name.isEmpty
        else { return nil }
        self.init(rawValue: name)
    }

    /// The code if it is a plain word. Other text is not shown, because it could contain a secret.
    public var description: String { isPlainWord ? rawValue : "an error of the server's own" }

    /// What to do after a login that was refused with this error; `nil` if that depends on the server.
    public var recoverySuggestion: HTTPClientError.RecoverySuggestion? {
        switch self {
        case .accessDenied: "log in again, and allow the access there"
        case .expiredToken, .loginRequired, .interactionRequired, .consentRequired: "begin the login again"
        case .invalidScope: "ask for other scopes"
        case .invalidTarget: "ask for another resource"
        case .unauthorizedClient, .unsupportedGrantType: "choose a way to log in that the server allows this client"
        case .serverError, .temporarilyUnavailable: .tryAgainLater
        default: nil
        }
    }

    var isPlainWord: Bool {
        rawValue.utf8.count <= 48
            && rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }
}

extension Response {
    /// The status, and the `error` if it is a plain word. Nothing else of the body is shown, because it can contain a secret.
    var statusAndError: String {
        let code = OAuthErrorCode(self).flatMap { $0.isPlainWord ? $0 : nil }
        return "\(status.code)" + (code.map { " (\($0))" } ?? "")
    }
}
