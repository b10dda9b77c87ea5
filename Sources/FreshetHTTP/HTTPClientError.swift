public import HTTPTypes

/// The error of a request that has failed.
///
/// The description names the origin, the phase and what to do next. It holds no secret: no token, no password, no cookie, no
/// query of a URL.
public struct HTTPClientError: Error, Sendable {
    /// The kind of failure; the raw value is its stable name.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The request could not be sent as it was given; a retry fails in the same way.
        case invalidRequest = "invalid_request"
        /// The host's name was not found, or no name server could be asked.
        case resolve
        /// No connection to the server, or to the proxy, could be made.
        case connect
        /// The TLS handshake failed, or the server's certificate is not trusted.
        case tls
        /// A time limit was reached; the phase and the message say which.
        case timeout
        /// The connection ended or was reset before the response was complete.
        case connectionLost = "connection_lost"
        /// The server sent something that is not HTTP.
        case `protocol`
        /// A head, a body, a line or an event is larger than the limit for it.
        case tooLarge = "too_large"
        /// There were more redirects than ``HTTPClient/Configuration/redirectLimit`` allows.
        case tooManyRedirects = "too_many_redirects"
        /// A redirect leads to an address that is not allowed, such as from https to http.
        case forbiddenRedirect = "forbidden_redirect"
        /// This program ended the request: a shutdown, a session that was over, a file that could not be written.
        case cancelled
        /// The response can't be decoded: its encoding, its charset or its JSON is not what was expected.
        case decoding
        /// The status is not one of the accepted statuses.
        case status
        /// The credential could not be refreshed for now; the tokens are kept.
        case refreshFailed = "refresh_failed"
        /// The credential was refreshed too often in a short time; the client does not ask the server for now.
        case refreshStorm = "refresh_storm"
        /// There is no credential, or the server refused to refresh it: the user has to log in.
        case loginRequired = "login_required"
        /// The user has to log in again with more scopes, or with a stronger login; a refresh does not help.
        case stepUpRequired = "step_up_required"
        /// The user or the server refused the login.
        case accessDenied = "access_denied"
        /// The metadata of an authorization server, or of a protected resource, could not be fetched.
        case discovery
        /// A response came from another authorization server than the one that was asked.
        case issuerMismatch = "issuer_mismatch"
        /// The credential store can't be read or written.
        case store
        /// The server has failed, and gets no request for a while.
        case circuitOpen = "circuit_open"
        /// A replayed recording does not have the request.
        case notRecorded = "not_recorded"
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
        case redirecting, decoding, refreshing
        case retrying = "waiting to retry"
        case storing

        /// Whether nothing of a request that has not passed this phase was sent.
        public var isBeforeSending: Bool {
            switch self {
            case .preparing, .queued, .resolving, .connecting, .securing: true
            default: false
            }
        }
    }

    /// The kind of failure, by which a program decides what to do.
    public var code: Code
    /// How far the request had come.
    public var phase: Phase
    /// The scheme, host and port that the request went to, as `https://host:port`; empty where there is none.
    public var origin: String
    /// The method of the request; `nil` where there is no request yet.
    public var method: HTTPRequest.Method?
    /// The path of the request, without its query, as it went out: of the last hop after redirects.
    public var path: String?
    /// The number of the attempt that failed, from 1; `nil` before the first. Attempts that were not sent do not count.
    public var attempt: Int?
    /// The address of the server or of the proxy, as `host:port`, if there was a connection.
    public var peer: String?
    /// What happened.
    public var message: String
    /// What to do next.
    public var recoverySuggestion: RecoverySuggestion?
    /// The error that caused this one.
    public var underlying: (any Error)?
    /// The response that this error is about, with as much of its body as was kept.
    public var response: Response?
    /// Whether no byte of the request was sent, so that it can be sent again whatever its method.
    ///
    /// For the error of a request that is about all of its attempts, and all hops of its redirects: it is `false` as soon as one
    /// of them was sent, or may have been. A ``RequestRetrier`` receives the error of one attempt, which is about that attempt.
    public var isUnsent: Bool
    /// For the code `circuitOpen`: how long the circuit still sends no request. `nil` if it doesn't know, and for other codes.
    public var remainingPause: Duration?
    /// Whether a kept connection died before anything of the response came, and the transport did not send the request again
    /// only because it is not resendable; see ``Request/isResendable``.
    package var needsNewAttempt = false

    /// Makes an error of the client's type, for custom transports, interceptors and authenticators. Neither `message` nor
    /// `recoverySuggestion` may hold a secret.
    ///
    ///     throw HTTPClientError(
    ///         .invalidRequest, phase: .preparing, message: "the account has no key",
    ///         recoverySuggestion: "add one in the settings")
    public init(
        _ code: Code, phase: Phase, origin: String = "", message: String, recoverySuggestion: RecoverySuggestion? = nil,
        underlying: (any Error)? = nil, response: Response? = nil, isUnsent: Bool = false,
        remainingPause: Duration? = nil
    ) {
        self.code = code
        self.phase = phase
        self.origin = origin
        self.message = message
        self.recoverySuggestion = recoverySuggestion
        self.underlying = underlying
        self.response = response
        self.isUnsent = isUnsent
        self.remainingPause = remainingPause
    }
}

extension HTTPClientError {
    /// Returns the error with the method, the path and the origin of the request that it is about, unless it has them. The
    /// client does this for the errors of its own requests; a program does it for errors that it makes from a response.
    ///
    /// The path is that of ``response``, if there is one, because it can have come after redirects.
    public func naming(_ request: Request) -> HTTPClientError {
        guard method == nil else { return self }
        var error = self
        (error.method, error.path) = (request.method, (response?.url ?? request.url).path)
        if origin.isEmpty { error.origin = request.url.origin.description }
        error.nameInResponse()
        return error
    }
}

extension HTTPClientError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let place =
            [phase.rawValue] + [target, attempt.flatMap { $0 > 1 ? "attempt \($0)" : nil }, peer].compactMap { $0 }
        return
            "\(code.rawValue): \(message)\(recoverySuggestion.map { "; \($0)" } ?? "") (\(place.joined(separator: ", ")))"
    }

    /// `GET https://host:port/path`, as far as it is known.
    private var target: String? {
        let url = origin + (path ?? "")
        if url.isEmpty { return nil }
        return method.map { "\($0.rawValue) \(url)" } ?? url
    }

    // The default would print the response and the underlying error, and with them the secrets that they may hold.
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
