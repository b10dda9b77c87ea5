public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Applies and refreshes one kind of credential. Source: Alamofire's `Authenticator`, with streams instead of callbacks.
///
/// A custom authenticator only has to implement ``refresh(_:)``. All other requirements have defaults for bearer tokens (RFC
/// 6750):
///
///     struct Reissue: Authenticator {
///         let client: HTTPClient
///
///         func refresh(_ credential: Credential?) -> Single<Credential> {
///             client.post("https://id.example/reissue", body: .text(credential?.refreshToken ?? "")).validate()
///                 .map { Credential(accessToken: $0.text) }
///         }
///     }
///
/// The requests of the authenticator must not pass through the interceptor that uses the authenticator. They must not use a
/// transport whose connections can all be occupied by requests that wait for the refresh. Set
/// `HTTPClient.Configuration.redirectLimit` of their client to 0; otherwise a redirect can send the token to another server.
public protocol Authenticator: Sendable {
    /// Emits a new credential in exchange for `credential`, or for nothing if the store is empty.
    ///
    /// Only the gate calls this method, and only once at a time. The gate sets the generation of the result. If the result has
    /// no refresh token, the gate keeps the old one. The error ``RefreshRefusal`` ends the session;
    /// ``RefreshGate/Settings/isRefusal`` lists the other errors that do. After any other error the gate keeps the tokens.
    func refresh(_ credential: Credential?) -> Single<Credential>

    /// Asks the server to revoke `credential`, the refresh token before the access token, if the server supports revocation. By
    /// default it completes at once. Source: RFC 7009.
    ///
    /// The gate calls this method at a logout, at a login that revokes the credential that it replaces, and when a refresh
    /// succeeds after a logout or a login has superseded it. Revocation is best effort: a failure changes nothing.
    func revoke(_ credential: Credential) -> Completable

    /// Where in a request the credential is placed; by default in `Authorization: Bearer`.
    var placement: CredentialPlacement { get }

    /// The rule for responses that report an expired credential; by default a 401 that does not state another reason.
    var expired: ExpiryRule { get }

    /// Returns `request` with `credential` applied; by default at ``placement``. The interceptor calls this before each
    /// attempt, and only for requests to the credential's origins.
    func apply(_ credential: Credential, to request: Request) -> Request

    /// Whether ``apply(_:to:)`` can make `credential` usable; by default it always can. A gate neither uses nor refreshes a stored
    /// credential for which this is `false`: its requests fail with code `store` before anything is sent, and the store stays
    /// unchanged. ``OAuthAuthenticator`` returns `false` for tokens that are bound to a key if it has no
    /// ``OAuthAuthenticator/proofOfPossession``.
    func canApply(_ credential: Credential) -> Bool

    /// Whether `response` reports that the credential of its request has expired; by default whether ``expired`` matches. The
    /// body of `response` holds the peeked part only.
    func isExpired(_ response: Response) -> Bool

    /// Whether `request`, as it was sent, carries `credential`; by default whether the credential is at ``placement``. A later
    /// interceptor can replace the credential. The failure of such a request says nothing about the credential, and its caller
    /// receives the response unchanged.
    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool

    /// Whether `request` is sent without the credential because it carries its own. By default this is so if the credential's
    /// placement is the `Authorization` field and the request already has that field. A request that began so gets no
    /// credential after a redirect either.
    func excludes(_ request: Request) -> Bool

    /// Whether `response` asks for the same request with another proof of possession; by default never. Such a response says
    /// nothing about the credential. The interceptor sends the request again, up to four times in all, and refreshes nothing.
    /// Source: RFC 9449 section 9.
    func demandsNewProof(_ response: Response) -> Bool

    /// Receives the head of a response to a request with the credential; by default does nothing. Called on the transport's
    /// thread.
    func received(_ head: HTTPResponse, from origin: Origin)

    /// Whether a person has to log in after a refusal; `true` by default. If `false`, as with client credentials, the store
    /// does not record the refusal, and the next request tries again.
    var needsLogin: Bool { get }
}

extension Authenticator {
    public var placement: CredentialPlacement { .bearer }
    public var expired: ExpiryRule { ExpiryRule() }
    public var needsLogin: Bool { true }

    public func demandsNewProof(_ response: Response) -> Bool { false }

    public func received(_ head: HTTPResponse, from origin: Origin) {}

    public func revoke(_ credential: Credential) -> Completable { .empty() }

    public func apply(_ credential: Credential, to request: Request) -> Request {
        placement.apply(credential, to: request)
    }

    public func canApply(_ credential: Credential) -> Bool { true }

    public func isExpired(_ response: Response) -> Bool { expired.match(response) }

    public func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool {
        placement.isRequest(request, authenticatedWith: credential)
    }

    public func excludes(_ request: Request) -> Bool { placement.excludes(request) }
}
