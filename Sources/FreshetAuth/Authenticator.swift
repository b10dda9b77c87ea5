public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Knows one kind of credential: four small questions. Source: Alamofire's `Authenticator`, in streams.
public protocol Authenticator: Sendable {
    /// `request` with `credential` on it. Asked before each attempt, for requests to the credential's origins only.
    func apply(_ credential: Credential, to request: Request) -> Request

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

    /// Whether `response` says that the credential of its request has ended. Its body is what was peeked at.
    func isExpired(_ response: Response) -> Bool

    /// Whether `request`, as it was sent, carries `credential`: interceptors further down may have put something else
    /// in its place, and its failure then says nothing about the credential.
    func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool

    /// Whether `request` goes without the credential, for it carries one of its own. By default: whether it has an
    /// `Authorization` field.
    func leavesAlone(_ request: Request) -> Bool

    /// Whether a person has to log in after a refusal, which is so by default. If not, as with client credentials, a
    /// refusal is not marked in the store, and the next request tries again.
    var needsLogin: Bool { get }
}

extension Authenticator {
    public func leavesAlone(_ request: Request) -> Bool { request.headers[.authorization] != nil }
    public var needsLogin: Bool { true }
    public func revoke(_ credential: Credential) -> Completable { .empty() }
}

/// The refresh was refused for good: the refresh token is spent, revoked or missing. The session is over.
public struct RefreshRefusal: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What happened, in a sentence that holds no secret.
    public var message: String
    /// The answer that says so, if there was one.
    public var response: Response?

    public init(_ message: String, response: Response? = nil) {
        self.message = message
        self.response = response
    }

    public var description: String { message }
    public var debugDescription: String { message }
}
