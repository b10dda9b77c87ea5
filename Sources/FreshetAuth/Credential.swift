/// An access token, and the refresh token that gets a new one.
///
/// Its description and its dump never show a token, not even in part.
public struct Credential: Sendable, Hashable {
    /// The token that each request carries.
    public var accessToken: String
    /// The token that gets a new access token; `nil` if there is none, as with client credentials.
    public var refreshToken: String?
    /// When the access token expires, in seconds since 1970 on the wall clock; `nil` if the server did not say. `.infinity`
    /// and `.nan` become `nil` too, and `-.infinity` becomes 0.
    public var expiresAt: Double? { didSet { expiresAt = Self.storable(expiresAt) } }
    /// The version of the store that holds this credential. Two credentials of one store with the same generation are the same
    /// credential. The order of two generations has no meaning. The gate and the stores set it.
    public var generation: Int
    /// When the server created the response with this credential, in seconds since 1970 on the server's clock (its `Date`, RFC
    /// 9110 section 6.6.1). If it is set, ``expiresAt`` is on the server's clock too. The gate converts ``expiresAt`` to its
    /// own wall clock and removes this value, so that a wrong clock on either side does no harm. It is never stored, and
    /// equality ignores it.
    public var issuedAt: Double?

    // A class, because each request copies its credential.
    private var detailsBox: DetailsBox?

    /// Further statements of the server about the tokens. Equality ignores them.
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
        self.expiresAt = Self.storable(expiresAt)
        self.generation = generation
        self.issuedAt = issuedAt
    }

    /// Stands for an access token that is not known yet. It counts as expired, so it is never sent.
    private static let unknownAccessToken = "none"

    /// Makes a credential of a refresh token alone. The first request gets the access token.
    public init(refreshToken: String) {
        self.init(accessToken: Self.unknownAccessToken, refreshToken: refreshToken, expiresAt: 0)
    }

    /// Whether the access token is known; `false` before the first refresh of ``init(refreshToken:)``.
    public var hasAccessToken: Bool { accessToken != Self.unknownAccessToken }

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
    /// Whether the access token has expired; `false` if it has no known expiry.
    public func isExpired(at secondsSince1970: Double) -> Bool {
        expiresAt.map { $0 <= secondsSince1970 } ?? false
    }

    /// JSON, in which stores keep a time, has no infinity. A time that never comes is none.
    static func storable(_ time: Double?) -> Double? {
        time.flatMap { $0.isFinite ? $0 : $0 < 0 ? 0 : nil }
    }

    /// Whether the tokens consist of printable ASCII, as RFC 6749 requires. A header field cannot hold other characters
    /// unchanged.
    var isSendable: Bool {
        !accessToken.isEmpty
            && [accessToken, refreshToken ?? ""].allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
    }

    /// Whether a revocation of one of the two would end the other one, too.
    func sharesToken(with other: Credential) -> Bool {
        hasAccessToken && accessToken == other.accessToken || refreshToken != nil && refreshToken == other.refreshToken
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
