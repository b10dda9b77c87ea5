public import FreshetHTTP

/// The parts of a token response besides the tokens and their expiry, and what a login adds to them. A store keeps all of it.
public struct CredentialDetails: Sendable, Hashable {
    /// The scopes of the access token, separated by spaces; `nil` if the server did not say.
    public var scope: String?
    /// The ID token of OpenID Connect. It is a secret.
    public var idToken: String?
    /// When the refresh token expires, in seconds since 1970 on the wall clock; `nil` if the server did not say. `.infinity`
    /// and `.nan` become `nil` too, and `-.infinity` becomes 0.
    public var refreshExpiresAt: Double? { didSet { refreshExpiresAt = Credential.storable(refreshExpiresAt) } }
    /// The authorization server that issued the tokens. Source: RFC 8414 section 2.
    public var issuer: String?
    /// Identifies the login, and so the account. Each login has a new value, and refreshes keep it. The gate sets it.
    public var loginID: String?
    /// Identifies the session. A login begins a new one if the store is empty, as after a logout, or if it is known that another
    /// account logs in. Other logins keep it, and so do refreshes. The gate sets it.
    public var sessionID: String?
    /// The private key to which the tokens are bound, as PEM. It is a secret. Source: RFC 9449 section 5.
    public var proofKey: String?
    /// All other members of the token response.
    public var extra: [String: JSONValue] = [:]

    public init() {}
}

extension CredentialDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Has no secret: the ID token, the key and the values of ``extra`` are left out.
    public var description: String {
        let others = extra.isEmpty ? "" : ", others: \(extra.keys.sorted().joined(separator: " "))"
        return "CredentialDetails(issuer: \(issuer ?? "unknown"), scope: \(scope ?? "unknown")\(others))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer as Any, "scope": scope as Any, "others": extra.keys.sorted()])
    }
}

extension Credential {
    /// Whether its tokens can be used only with a proof of possession.
    var isBound: Bool { details.proofKey != nil }
}

extension CredentialDetails {
    /// Returns these details, with missing values taken from `earlier`: a server can omit unchanged values from a refresh.
    /// The IDs of `earlier` replace those of these details.
    ///
    /// Source: RFC 6749 section 5.1 for the scope, OpenID Connect Core section 12.2 for the ID token.
    func completed(by earlier: CredentialDetails) -> CredentialDetails {
        var details = self
        details.scope = scope ?? earlier.scope
        details.idToken = idToken ?? earlier.idToken
        details.refreshExpiresAt = refreshExpiresAt ?? earlier.refreshExpiresAt
        details.issuer = issuer ?? earlier.issuer
        details.loginID = earlier.loginID ?? loginID
        details.sessionID = earlier.sessionID
        details.proofKey = proofKey ?? earlier.proofKey
        let all = earlier.extra.merging(extra) { _, new in new }
        details.extra = all.count <= Self.extraLimit ? all : extra
        return details
    }

    /// The largest number of members that outlive the response that has them. A server that names its members differently each
    /// time would fill the store.
    private static let extraLimit = 100

    /// Returns a string of 128 random bits that cannot be guessed.
    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
