public import FreshetHTTP

/// Identifies one of several credentials by its account, scopes and audience. Two different keys share no token, no gate and no
/// refresh.
///
/// As a request tag it selects the credential of the request; see ``AccountInterceptor``.
public struct CredentialKey: Sendable, Hashable, RequestTag {
    /// The account, under any name that the program uses for it.
    public var account: String
    /// The scopes that the token was requested with. Source: RFC 6749 section 3.3.
    public var scopes: Set<String>
    /// The service that the token is for, if the server issues one token for each service. Source: RFC 8707 section 2.
    public var audience: String?

    public init(account: String, scopes: Set<String> = [], audience: String? = nil) {
        self.account = account
        self.scopes = scopes
        self.audience = audience
    }

    /// The key as one word, for the name of a file or of a key in Redis. Different keys have different names.
    ///
    /// It contains only letters, digits and `-._*+%=&`, and is never `.` or `..`. Its length has no limit. The name of a file
    /// has at most 255 bytes, so take a hash of it if accounts have long names.
    public var name: String {
        let scopes = scopes.sorted().map { (name: "scope", value: $0) }
        let audience = audience.map { [(name: "audience", value: $0)] } ?? []
        return RequestBody.formEncoded([("account", account)] + scopes + audience)
    }
}
