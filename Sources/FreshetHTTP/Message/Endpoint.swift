public import HTTPTypes

/// One call of an API as a value. Source: Moya's `TargetType`.
///
/// An enumeration can be all calls of an API: it leaves out ``Response``, and ``HTTPClient/call(_:at:as:)`` names the type of each
/// call's response.
public protocol Endpoint: Sendable {
    /// What the response becomes: a `Decodable`, or `Void`, the default, for a call whose response has no body that matters. For
    /// another type, implement ``decode(_:)``.
    associatedtype Response: Sendable = Void
    /// What the API says in the body of a response outside of 200..<300. `Never`, the default, is
    /// ``HTTPClient/Configuration/failure``.
    associatedtype Failure: Decodable & Error = Never

    var method: HTTPRequest.Method { get }
    /// The path below the base URL, without a query.
    var path: String { get }
    /// The query's names and values, in order, not yet encoded.
    var query: [(name: String, value: String)] { get }
    var headers: HTTPFields { get }
    var body: RequestBody { get throws }
    /// Decodes the response and the failure; `nil` is the client's decoder.
    var decoder: (any BodyDecoder)? { get }

    /// Makes the value of a response with a status in 200..<300.
    func decode(_ response: FreshetHTTP.Response) throws -> Response
}

extension Endpoint {
    public var method: HTTPRequest.Method { .get }
    public var query: [(name: String, value: String)] { [] }
    public var headers: HTTPFields { [:] }
    public var body: RequestBody { .empty }
    public var decoder: (any BodyDecoder)? { nil }
}

extension Endpoint where Response: Decodable {
    public func decode(_ response: FreshetHTTP.Response) throws -> Response {
        try response.decoded(Response.self, using: decoder)
    }
}

extension Endpoint where Response == Void {
    public func decode(_ response: FreshetHTTP.Response) {}
}
