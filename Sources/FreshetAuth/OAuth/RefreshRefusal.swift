public import FreshetHTTP

/// The final refusal of a refresh: the refresh token is spent, revoked or missing. The session is over.
public struct RefreshRefusal: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A sentence about the refusal, without secrets.
    public var message: String
    /// The endpoint's `error`, if it sent one.
    public var code: OAuthErrorCode?
    /// The response with the refusal, if there was one.
    public var response: Response?

    public init(_ message: String, code: OAuthErrorCode? = nil, response: Response? = nil) {
        self.message = message
        self.code = code
        self.response = response
    }

    static let ofAnotherServer = Self("the stored tokens are of another authorization server")
    static let withoutToken = Self("there is no refresh token")

    public var description: String { message }
    public var debugDescription: String { message }
}
