public import FreshetHTTP

/// The refresh was refused for good: the refresh token is spent, revoked or missing. The session is over.
public struct RefreshRefusal: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What happened, in a sentence that holds no secret.
    public var message: String
    /// What the endpoint calls it, if that is a registered name.
    public var code: OAuthErrorCode?
    /// The answer that says so, if there was one.
    public var response: Response?

    public init(_ message: String, code: OAuthErrorCode? = nil, response: Response? = nil) {
        self.message = message
        self.code = code
        self.response = response
    }

    public var description: String { message }
    public var debugDescription: String { message }
}
