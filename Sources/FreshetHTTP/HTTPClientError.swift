/// What went wrong with a request.
///
/// The description names the origin, the phase and what to do next, and holds no secret: no token, no password, no
/// cookie, no query of a URL.
public struct HTTPClientError: Error, Sendable {
    /// The kind of failure; the raw value is its stable name.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The request could not go out as it was given; another try comes to the same.
        case invalidRequest = "invalid_request"
        /// The host's name was not found, or nobody could be asked.
        case resolve
        /// There was no connection to the server, or to the proxy.
        case connect
        /// The TLS handshake failed, or the server's certificate is not to be trusted.
        case tls
        /// A limit of time was reached; the phase and the message say which.
        case timeout
        /// The connection ended or was reset before the response was complete.
        case connectionLost = "connection_lost"
        /// What came is no HTTP.
        case `protocol`
        /// A head, a body, a line or an event is larger than the limit for it.
        case tooLarge = "too_large"
        /// More redirects than ``HTTPClient/Configuration/redirectLimit``, or one back to where it was.
        case tooManyRedirects = "too_many_redirects"
        /// A redirect leads to where none may, such as from https to http.
        case forbiddenRedirect = "forbidden_redirect"
        /// Somebody here ended it: a shutdown, a session that was over, a file that could not be written.
        case cancelled
        /// What came is not what it was to be read as: its encoding, its charset, its JSON.
        case decoding
        /// The status is not among those that were asked for.
        case status
        /// The credential could not be refreshed for now; the tokens are kept.
        case refreshFailed = "refresh_failed"
        /// The credential was refreshed too often in a short time; the server is not asked for now.
        case refreshStorm = "refresh_storm"
        /// There is no credential, or the server refused to refresh it: somebody has to log in.
        case loginRequired = "login_required"
        /// The login has to be repeated with more scopes, or more strongly: no refresh helps.
        case stepUpRequired = "step_up_required"
        /// The person or the server has refused the login.
        case accessDenied = "access_denied"
        /// The metadata of an authorization server or of a protected resource can't be had.
        case discovery
        /// A response is from another authorization server than the one that was asked.
        case issuerMismatch = "issuer_mismatch"
        /// The credential store can't be read or written.
        case store
        /// A limit of this process or machine is reached: the queue, the open files, the room on the disk.
        case overloaded
    }

    /// How far the request had come.
    public enum Phase: String, Sendable, Hashable {
        case preparing, queued, resolving, connecting
        case securing = "TLS handshake"
        case sending
        case waiting = "waiting for the response"
        case receiving = "receiving the response"
        case redirecting, decoding, refreshing, storing
    }

    /// What kind of failure it is: what a program goes by.
    public var code: Code
    /// How far the request had come.
    public var phase: Phase
    /// The scheme, host and port that the request went to, as `https://host:port`; empty where there is none.
    public var origin: String
    /// What happened.
    public var message: String
    /// What to do next.
    public var recoverySuggestion: RecoverySuggestion?
    /// The error beneath this one.
    public var underlying: (any Error)?
    /// The answer that this error is about, with its body as far as it was kept.
    public var response: Response?
    /// Whether nothing of the request had been put on the wire, so that it can be sent again whatever its method.
    public var isUnsent: Bool

    /// An error as the client makes it, for transports, interceptors and authenticators of one's own. Neither
    /// `message` nor `recoverySuggestion` may hold a secret.
    ///
    ///     throw HTTPClientError(
    ///         .invalidRequest, phase: .preparing, message: "the account has no key", remedy: "add one in the settings")
    public init(
        _ code: Code, phase: Phase, origin: String = "", message: String, recoverySuggestion: RecoverySuggestion? = nil,
        underlying: (any Error)? = nil, response: Response? = nil, isUnsent: Bool = false
    ) {
        self.code = code
        self.phase = phase
        self.origin = origin
        self.message = message
        self.recoverySuggestion = recoverySuggestion
        self.underlying = underlying
        self.response = response
        self.isUnsent = isUnsent
    }
}

extension HTTPClientError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "\(code.rawValue): \(message)\(recoverySuggestion.map { "; \($0)" } ?? "") (\(phase.rawValue)\(origin.isEmpty ? "" : ", \(origin)"))"
    }

    // The default would print the response and the underlying error, and with them whatever they hold.
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
