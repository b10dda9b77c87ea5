import FreshetHTTP
import HTTPTypes

/// What a token endpoint or a revocation endpoint says went wrong, as far as the name is a registered one.
///
/// Source: RFC 6749 sections 5.2 and 4.1.2.1, RFC 7009 section 2.2.1, RFC 8628 section 3.5, RFC 8707 section 2, and OpenID
/// Connect Core section 3.1.2.6.
public enum OAuthErrorCode: String, Sendable, Hashable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    /// The refresh token is spent, revoked, or was issued to another client.
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
    case invalidTarget = "invalid_target"
    case accessDenied = "access_denied"
    case expiredToken = "expired_token"
    case invalidToken = "invalid_token"
    case interactionRequired = "interaction_required"
    case loginRequired = "login_required"
    case consentRequired = "consent_required"
    /// The server cannot revoke tokens of this type.
    case unsupportedTokenType = "unsupported_token_type"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    case slowDown = "slow_down"
    case authorizationPending = "authorization_pending"

    /// Those after which the same refresh need not be tried again: all but the last four.
    public static let final = Set(allCases).subtracting([
        .serverError, .temporarilyUnavailable, .slowDown, .authorizationPending,
    ])

    /// What the member `error` of the answer's JSON object says.
    init?(_ response: Response) {
        guard case .object(let members)? = try? JSONValue(response.body), case .string(let name)? = members["error"]
        else { return nil }
        self.init(rawValue: name)
    }
}

extension Response {
    /// The status, and the `error` if it is a registered one; nothing else of the body, which may repeat a secret.
    var told: String {
        "\(status.code)" + (OAuthErrorCode(self).map { " (\($0.rawValue))" } ?? "")
    }
}
