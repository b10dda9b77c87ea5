extension HTTPClientError {
    /// What to do about an error, as a value: a program compares it, to act on it or to say it in words of its own.
    ///
    ///     if error.remedy == .logIn { showLogin() } else { print(error) }
    ///
    /// The ones with a name are those that a setting or a user follows; others are words only. Like a message, a remedy
    /// holds no secret.
    public struct RecoverySuggestion: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringInterpolation {
        /// The library's words: half a sentence, to stand behind the message and a semicolon.
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
    /// The same request may succeed.
    public static let tryAgain: Self = "try again"
    /// The same, after a while.
    public static let tryAgainLater: Self = "try again later"
    /// A limit of time was reached; see ``TransferOptions`` and ``HTTPClient/Configuration/timeout``.
    public static let allowMoreTime: Self = "try again or allow it more time"
    /// Too much is asked for at once; see ``TransferOptions`` for how long a request may wait for its turn.
    public static let sendFewerAtOnce: Self = "send fewer at once"

    /// ``HTTPClient/Configuration/maximumBodySize`` is reached.
    public static let raiseBodyLimit: Self = "raise the limit or take it as a stream"
    /// ``TransferOptions/maximumHeadSize`` is reached.
    public static let raiseHeadLimit: Self = "raise maximumHeadSize if it may be"
    /// The limit of an event stream is reached, `EventSource.Settings.maximumEventSize`.
    public static let raiseEventLimit: Self = "raise maximumEventSize, or the parser's limit, if it may"
    /// ``TransferOptions/maximumDecodingRatio`` is reached.
    public static let raiseDecodingRatio: Self = "ask for it without compression, or raise maximumDecodingRatio"
    /// What decodes an answer fails at it: `Accept-Encoding: identity` asks for it as it is.
    public static let askUncompressed: Self = "ask for it without compression"

    /// The address of the host can be given to the transport.
    public static let overrideAddress: Self = "check the name and the resolver, or say the address in the overrides"
    /// The transport can have a certificate and its key.
    public static let giveIdentity: Self = "give the transport an identity"
    /// The transport's file of trust roots can't be read.
    public static let checkTrustRoots: Self = "check the path that was configured, or SSL_CERT_FILE"
    /// HTTP/2 can't be had, or not as it should be; see ``TransferOptions/version``.
    public static let askForHTTP1: Self = "ask for HTTP/1.1"

    /// Nobody has logged in.
    public static let logIn: Self = "log in"
    /// The session is over.
    public static let logInAgain: Self = "log in again"
}
