public import FreshetHTTP

/// The final refusal of a refresh: the refresh token is spent, revoked or missing. The session is over.
public struct RefreshRefusal: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A sentence about the refusal, without secrets.
    public var message: String
    /// The endpoint's `error`, if it sent one.
    public var code: OAuthErrorCode?
    /// The response with the refusal, if there was one.
    public var response: Response?

    /// Whether the refresh was not sent, for a reason that says nothing of the tokens to other programs of the store.
    private(set) var isOwn = false

    public init(_ message: String, code: OAuthErrorCode? = nil, response: Response? = nil) {
        self.message = message
        self.code = code
        self.response = response
    }

    static var ofAnotherServer: Self {
        var refusal = Self("the stored tokens are of another authorization server")
        refusal.isOwn = true
        return refusal
    }
    static let withoutToken = Self("there is no refresh token")

    public var description: String { message }
    public var debugDescription: String { message }
}
