public import FreshetHTTP

/// Which of several credentials is meant: whose it is, and what it is good for. Two that differ in anything share nothing:
/// neither token nor gate nor refresh.
///
/// As a note on a request it says which one that is to carry; see ``AccountInterceptor``.
public struct CredentialKey: Sendable, Hashable, RequestTag {
    /// Who is asking, by whatever name the program knows them.
    public var account: String
    /// What the token was asked to be good for, in any order. Source: RFC 6749 section 3.3.
    public var scopes: Set<String>
    /// Whom the token is for, where the server issues one a service. Source: RFC 8707 section 2.
    public var audience: String?

    public init(account: String, scopes: Set<String> = [], audience: String? = nil) {
        self.account = account
        self.scopes = scopes
        self.audience = audience
    }

    /// The key as one word, a different one for each key: for the name of a file or of a key in Redis.
    ///
    /// It holds letters, digits and `-._*+%=&` alone, and is never `.` or `..`.
    public var name: String {
        let scopes = scopes.sorted().map { (name: "scope", value: $0) }
        let audience = audience.map { [(name: "audience", value: $0)] } ?? []
        return RequestBody.formEncoded([("account", account)] + scopes + audience)
    }
}
