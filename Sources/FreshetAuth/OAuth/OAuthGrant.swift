public import FreshetCore
public import FreshetHTTP

/// The grant that a client exchanges for a credential at a token endpoint. Source: RFC 6749 section 1.3.
public struct OAuthGrant: Sendable {
    typealias Fields = OAuthClient.Fields

    /// Whether a person has to log in before the first exchange, and after a refused one.
    public let needsLogin: Bool
    /// Whether the issued token need not be an access token.
    var requestsOtherToken = false
    /// Returns the form fields of a request to an endpoint that replaces a credential.
    let fields: @Sendable (_ credential: Credential?, _ endpoint: RequestURL) -> Single<Fields>

    /// The refresh token of a login. Source: RFC 6749 section 6.
    public static let refreshToken = Self(needsLogin: true) { credential, _ in
        guard let token = credential?.refreshToken else { return .error(RefreshRefusal.withoutToken) }
        return .just([("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    /// The client's own authentication. No person logs in. Source: RFC 6749 section 4.4.
    public static let clientCredentials = Self(needsLogin: false) { _, _ in
        .just([("grant_type", "client_credentials")])
    }

    /// A signed assertion about an account. `make` creates a new one for each attempt at a request, because a server can reject one that
    /// it has received before.
    /// No person logs in. Source: RFC 7523 section 2.1.
    ///
    /// - Parameter make: returns the assertion for a request to an endpoint; it must not block.
    @preconcurrency
    public static func jwtBearer(_ make: @escaping @Sendable (_ endpoint: RequestURL) -> Single<String>) -> Self {
        Self(needsLogin: false) { _, endpoint in
            make(endpoint).map { assertion in
                [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)]
            }
        }
    }

    /// An assertion in a file, which is read for each request, because its owner replaces it.
    ///
    /// - Parameters:
    ///   - path: the path of the file. Whitespace around the assertion is ignored.
    ///   - scheduler: runs the blocking read of the file. It must not be a loop.
    public static func jwtBearer(fromFile path: String, on scheduler: any SchedulerType) -> Self {
        jwtBearer { _ in AssertionFile(path).assertion(on: scheduler) }
    }

    /// Exchanges one token for another. If the server refuses the subject token, the request fails, and the next request tries
    /// again. Source: RFC 8693 section 2.1.
    ///
    /// `resource`, `audience` and `scope` are set with ``OAuthAuthenticator/fields``. The token is the credential's
    /// ``Credential/accessToken``, whatever its type.
    ///
    /// - Parameters:
    ///   - requestedType: the type of the requested token; `nil` leaves it to the server.
    ///   - actor: returns the token of the acting party; `nil` if there is none.
    ///   - subject: returns, for each attempt at an exchange, the token of the party on whose behalf the request is made.
    @preconcurrency
    public static func tokenExchange(
        requestedType: ExchangedToken.Kind? = nil, actor: (@Sendable () -> Single<ExchangedToken>)? = nil,
        subject: @escaping @Sendable () -> Single<ExchangedToken>
    ) -> Self {
        let requestsOtherToken = requestedType.map { $0 != .accessToken } ?? false
        return Self(needsLogin: false, requestsOtherToken: requestsOtherToken) { _, _ in
            let acting: Single<ExchangedToken?> = actor.map { $0().map { $0 } } ?? .just(nil)
            return Single.zip(subject(), acting) { subject, actor in
                var fields: Fields = [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                    ("subject_token", subject.token), ("subject_token_type", subject.kind.rawValue),
                ]
                if let actor { fields += [("actor_token", actor.token), ("actor_token_type", actor.kind.rawValue)] }
                if let requestedType { fields.append(("requested_token_type", requestedType.rawValue)) }
                return fields
            }
        }
    }
}

/// A token that takes part in an exchange. Its descriptions do not contain the token. Source: RFC 8693 section 3.
public struct ExchangedToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The type of a token, as a URI.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
        public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
        public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
        public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
        public static let saml2 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml2")
    }

    let token: String
    public let kind: Kind

    public init(_ token: String, _ kind: Kind) {
        self.token = token
        self.kind = kind
    }

    public var description: String { "a token of type \(kind.rawValue)" }
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue]) }
}
