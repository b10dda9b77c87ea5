public import HTTPTypes

/// The response with which a server reports that an access token has expired.
public struct ExpiryResponse: Sendable {
    /// The complete response.
    public var response: ScriptedResponse

    public init(response: ScriptedResponse) {
        self.response = response
    }

    /// Status 401 with a challenge. Source: RFC 6750 section 3.
    public static let unauthorized = ExpiryResponse(
        response: ScriptedResponse(
            status: .unauthorized,
            headers: [
                .wwwAuthenticate: #"Bearer error="invalid_token", error_description="the access token has expired""#,
                .contentType: "application/json",
            ], body: #"{"error":"invalid_token"}"#))

    /// A status without a challenge, such as 419.
    public static func status(_ code: Int) -> ExpiryResponse {
        ExpiryResponse(response: .json(#"{"message":"token expired"}"#, status: .init(code: code)))
    }

    /// A general status, with the cause in the body: `{"errorCode":"E05"}`.
    public static func errorCode(_ code: String, status: HTTPResponse.Status = .badRequest) -> ExpiryResponse {
        ExpiryResponse(response: .json(#"{"errorCode":"\#(code)"}"#, status: status))
    }
}
