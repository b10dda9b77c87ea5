extension HTTPClientError {
    /// What to do about an error, as a value. A program can compare it, in order to act on it or to say it in other words.
    ///
    ///     if error.recoverySuggestion == .logIn { showLogin() } else { print(error) }
    ///
    /// Each static property is a suggestion that a program can act on, by a change of a setting or with the help of the user.
    /// Any other suggestion is text only. Like a message, a suggestion holds no secret.
    public struct RecoverySuggestion: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringInterpolation {
        /// The library's text: half a sentence, to follow the message and a semicolon.
        public let description: String

        public init(_ words: String) {
            description = words
        }

        public init(stringLiteral words: String) {
            self.init(words)
        }
    }
}

extension HTTPClientError.RecoverySuggestion {
    /// The URL holds a user or a password, which belong into a header field.
    public static let sendBasic: Self = "send them by FixedCredential.basic"
    /// The same request may succeed.
    public static let tryAgain: Self = "try again"
    /// The server may have processed the request, whose method is not idempotent.
    public static let sendAgainIfHarmless: Self = "send it again if that does no harm"
    /// The same request may succeed after a while.
    public static let tryAgainLater: Self = "try again later"
    /// A time limit was reached; see ``TransferOptions`` and ``HTTPClient/Configuration/timeout``.
    public static let allowMoreTime: Self = "try again, or allow the request more time"
    /// The time limit was reached while the request waited for an interceptor: for a refresh, for a login of the user, or for an
    /// adapter or a retrier of the program's own.
    public static let logInOrAllowMoreTime: Self =
        "log in if nobody has, look at the token endpoint or at an interceptor of your own, or allow the request more time"
    /// Too many requests run at once; see ``TransferOptions`` for how long a request may wait for its turn.
    public static let sendFewerAtOnce: Self = "send fewer requests at once"

    /// ``HTTPClient/Configuration/maximumBodySize`` is reached.
    public static let raiseBodyLimit: Self = "raise maximumBodySize, or read the body as a stream"
    /// ``TransferOptions/maximumHeadSize`` is reached.
    public static let raiseHeadLimit: Self = "raise maximumHeadSize if the head is meant to be this large"
    /// The limit of an event stream is reached, `EventSource.Settings.maximumEventSize`.
    public static let raiseEventLimit: Self =
        "raise maximumEventSize, or the parser's limit, if an event may be this large"
    /// ``TransferOptions/maximumDecodingRatio`` is reached.
    public static let raiseDecodingRatio: Self =
        "ask for the response without compression, or raise maximumDecodingRatio"
    /// The decoder of a response fails. `Accept-Encoding: identity` asks for the response as it is.
    public static let disableCompression: Self = "ask for the response without compression"

    /// The body is still compressed, because the request has an `Accept-Encoding` of its own.
    public static let leaveOutAcceptEncoding: Self =
        "it is still compressed: leave out the request's Accept-Encoding, and the client decodes it"

    /// The transport can be given the address of the host.
    public static let overrideAddress: Self = "check the name and the resolver, or set the address in the overrides"
    /// The transport can be given a certificate and its key.
    public static let setClientIdentity: Self = "give the transport an identity"
    /// The certificate's authority is not among the trust roots.
    public static let trustAuthority: Self = "trust the certificate of its authority, if that is the right one"
    /// The certificate is signed by itself, and is not among the trust roots.
    public static let trustCertificate: Self =
        "it is signed by itself: if it is the right one, trust it as an authority of its own"
    /// The transport's file of trust roots can't be read.
    public static let checkTrustRoots: Self = "check the path that was configured, or SSL_CERT_FILE"
    /// HTTP/2 is not available, or does not work as it should; see ``TransferOptions/version``.
    public static let useHTTP1: Self = "ask for HTTP/1.1"

    /// More refreshes were needed than `RefreshGate.Settings.refreshLimit` allows.
    public static let allowMoreRefreshes: Self =
        "check the clock and which responses count as expired, or raise RefreshGate.Settings.refreshLimit"
    /// The stored tokens are bound to a key, and the authenticator sends no proofs.
    public static let provePossession: Self =
        "set the proofOfPossession of the OAuthAuthenticator, or log in again without a key"
    /// A credential would be readable on the network. The type that would send it has a parameter `allowsPlainHTTP`.
    public static let allowPlainHTTP: Self = "use https, or allow it with allowsPlainHTTP"
    /// Nobody has logged in.
    public static let logIn: Self = "log in"
    /// The session is over.
    public static let logInAgain: Self = "log in again"
    /// The session has too few rights, or is too weak or too old.
    public static let logInWithMore: Self = "log in again and ask for what is missing"
    /// The program's own token, for which nobody logs in, has too few rights.
    public static let requestMoreScopes: Self = "ask for what is missing in the token request"

    /// The token endpoint refuses the scope of the token request.
    public static let checkTokenScopes: Self = "check the scope of the token request"
    /// The server does not allow this client the grant.
    public static let checkClientRights: Self = "check what the server allows this client"
    /// The token endpoint can't read the token request: a parameter is missing, surplus or invalid.
    public static let checkTokenParameters: Self = "check the parameters of the token request"
    /// The token endpoint does not know the grant.
    public static let checkGrant: Self = "check the grant, and whether the token endpoint is the right one"
}
