public import HTTPTypes

/// A response with its whole body.
public struct Response: Sendable {
    public var head: HTTPResponse
    public var body: [UInt8]
    /// The URL that the response came from, after redirects.
    public var url: RequestURL
    /// The settings of the client that has sent the request.
    var coding: ClientCoding?
    /// The method of the request.
    var method: HTTPRequest.Method?
    /// Where the response comes from.
    var location = AttemptLocation()

    public var status: HTTPResponse.Status { head.status }
    public var headers: HTTPFields { head.headerFields }

    public init(head: HTTPResponse, body: [UInt8] = [], url: RequestURL) {
        self.head = head
        self.body = body
        self.url = url
    }
}
