public import FreshetHTTP

/// What a token response says besides the tokens and their end, and what a login adds to that. A store keeps all of it.
public struct CredentialDetails: Sendable, Hashable {
    /// The scopes of the access token, separated by spaces; `nil` if the server did not say.
    public var scope: String?
    /// The ID token of OpenID Connect. It is a secret.
    public var idToken: String?
    /// The end of the refresh token, in seconds since 1970 on the wall clock; `nil` if the server did not say.
    public var refreshExpiresAt: Double?
    /// The authorization server that issued the tokens. Source: RFC 8414 section 2.
    public var issuer: String?
    /// Identifies the login, and through it the account: each login has another, and refreshes keep it. The gate sets it.
    public var loginID: String?
    /// The private key to which the tokens are bound, as PEM. It is a secret. Source: RFC 9449 section 5.
    public var proofKey: String?
    /// All other members of the token response.
    public var extra: [String: JSONValue] = [:]

    public init() {}
}

extension CredentialDetails {
    /// These, completed by what the credential before said: a server need not repeat itself at a refresh.
    ///
    /// Source: RFC 6749 section 5.1 for the scope, OpenID Connect Core section 12.2 for the ID token.
    func completed(by earlier: CredentialDetails) -> CredentialDetails {
        var details = self
        details.scope = scope ?? earlier.scope
        details.idToken = idToken ?? earlier.idToken
        details.refreshExpiresAt = refreshExpiresAt ?? earlier.refreshExpiresAt
        details.issuer = issuer ?? earlier.issuer
        details.loginID = earlier.loginID ?? loginID
        details.proofKey = proofKey ?? earlier.proofKey
        details.extra = earlier.extra.merging(extra) { _, new in new }
        return details
    }

    /// A text that nobody can guess, of 128 random bits.
    static func newLoginID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
