public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Knows one kind of credential. Source: Alamofire's `Authenticator`, in streams.
///
/// All that one of your own has to say is how a new credential is got; the rest has defaults for bearer tokens (RFC 6750):
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
/// What it sends must not go through the interceptor that it serves, nor over a transport whose every place can be taken by
/// requests that wait for it; `HTTPClient.Configuration.redirectLimit` had better be 0, or its token goes wherever a
/// redirect leads.
public protocol Authenticator: Sendable {
    /// A new credential in exchange for `credential`, or for nothing, if the store is empty.
    ///
    /// Nobody but the gate asks, one at a time. The generation of the answer is the gate's business; an answer without a
    /// refresh token keeps the old one. ``RefreshRefusal`` is the error that ends the session; see
    /// ``RefreshGate/Settings/isRefusal`` for what else does. Any other error keeps the tokens.
    func refresh(_ credential: Credential?) -> Single<Credential>

    /// Tells the server that `credential` is not to work any more, its refresh token before its access token, where the
    /// server can be told. By default it completes at once. Source: RFC 7009.
    ///
    /// The gate asks at a logout, and for the late answer of a refresh that a logout or a login has fenced off. Best
    /// effort: a failure changes nothing.
    func revoke(_ credential: Credential) -> Completable

    /// Where in a request the credential goes; by default into `Authorization: Bearer`.
    var placement: CredentialPlacement { get }

    /// What the sign of an ended credential is; by default a 401 that does not say otherwise.
    var expired: ExpiryRule { get }

    /// `request` with `credential` on it; by default where ``placement`` says. Asked before each attempt, for requests to
    /// the credential's origins only.
    func apply(_ credential: Credential, to request: Request) -> Request

    /// Whether `response` says that the credential of its request has ended; by default if ``expired`` matches. Its body is
    /// what was peeked at.
    func isExpired(_ response: Response) -> Bool

    /// Whether `request`, as it was sent, carries `credential`; by default whether it stands where ``placement`` says.
    /// Interceptors further down may have put something else in its place, and its failure then says nothing about the
    /// credential: the answer is delivered as it is.
    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool

    /// Whether `request` goes without the credential, for it carries one of its own. By default: whether it has an
    /// `Authorization` field, if that is where the credential would go.
    func excludes(_ request: Request) -> Bool

    /// Whether `response` asks for the same request with another proof of possession; by default never. Such a response says
    /// nothing about the credential: the request is sent again, up to four times in all, and nothing is refreshed.
    /// Source: RFC 9449 section 9.
    func demandsNewProof(_ response: Response) -> Bool

    /// The head of a response to a request with the credential has come; by default nothing happens. Called on the
    /// transport's thread.
    func received(_ head: HTTPResponse, from origin: Origin)

    /// Whether a person has to log in after a refusal, which is so by default. If not, as with client credentials, a
    /// refusal is not marked in the store, and the next request tries again.
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

    public func isExpired(_ response: Response) -> Bool { expired.match(response) }

    public func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool {
        placement.isRequest(request, authenticatedWith: credential)
    }

    public func excludes(_ request: Request) -> Bool { placement.excludes(request) }
}
