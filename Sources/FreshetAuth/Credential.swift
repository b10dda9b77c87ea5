/// What proves to a server who is asking: an access token and what renews it.
///
/// No description and no dump of it shows a token, not even in part.
public struct Credential: Sendable, Hashable {
    /// What is shown to the server with each request.
    public var accessToken: String
    /// What a new access token is asked for with; `nil` where there is none, as with client credentials.
    public var refreshToken: String?
    /// When the access token ends, in seconds since 1970 on the wall clock; `nil` if nobody said.
    public var expiresAt: Double?
    /// Which of the credentials of one store this is: the store's version. Two credentials with the same generation are
    /// the same; which of two numbers is larger means nothing. The gate and the stores set it.
    public var generation: Int
    /// When the server made the answer that brought this, in seconds since 1970 on the server's clock (its `Date`, RFC 9110
    /// section 6.6.1). With it ``expiresAt`` is on the server's clock too; the gate turns both into its own wall clock's
    /// time and drops this, so that a wrong clock does no harm. Never stored, and no part of what two credentials are
    /// compared by.
    public var issuedAt: Double?

    // An object, because each request copies its credential.
    private var detailsBox: DetailsBox?

    /// What else the server has said about the tokens. No part of what two credentials are compared by.
    public var details: CredentialDetails {
        get { detailsBox?.details ?? CredentialDetails() }
        set { detailsBox = newValue == CredentialDetails() ? nil : DetailsBox(newValue) }
    }

    private final class DetailsBox: Sendable {
        let details: CredentialDetails

        init(_ details: CredentialDetails) {
            self.details = details
        }
    }

    public init(
        accessToken: String, refreshToken: String? = nil, expiresAt: Double? = nil, generation: Int = 0,
        issuedAt: Double? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.generation = generation
        self.issuedAt = issuedAt
    }

    public static func == (left: Credential, right: Credential) -> Bool {
        left.accessToken == right.accessToken && left.refreshToken == right.refreshToken
            && left.expiresAt == right.expiresAt && left.generation == right.generation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(accessToken)
        hasher.combine(refreshToken)
        hasher.combine(expiresAt)
        hasher.combine(generation)
    }
}

extension Credential {
    /// Whether its access token has ended; never, if nobody said when.
    public func isExpired(at secondsSince1970: Double) -> Bool {
        expiresAt.map { $0 <= secondsSince1970 } ?? false
    }

    /// Whether its tokens are what RFC 6749 says a token is made of: printable ASCII. Anything else could not be put into a
    /// header field as it is.
    var isSendable: Bool {
        !accessToken.isEmpty
            && [accessToken, refreshToken ?? ""].allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
    }

    func with(generation: Int) -> Credential {
        var credential = self
        credential.generation = generation
        return credential
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let ending = expiresAt.map { "expires at \($0)" } ?? "no known expiry"
        return "Credential(generation \(generation), \(ending), \(refreshToken == nil ? "not " : "")refreshable)"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["generation": generation, "isRefreshable": refreshToken != nil])
    }
}
