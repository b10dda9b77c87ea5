public import HTTPTypes

/// One call of an API as a value. Source: Moya's `TargetType`.
///
/// One enumeration can describe all calls of an API: it leaves out ``Response``, and ``HTTPClient/call(_:at:as:)`` names the type
/// of each call's response.
///
/// A property counts only if it has exactly the type of its requirement. With another type, as `Duration` instead of
/// `Duration?`, it compiles, but it is a property of your own, and the default of ``Endpoint`` applies.
public protocol Endpoint: Sendable {
    /// The type of the decoded response: a `Decodable`, or `Void`, the default, for a call whose response body is not needed. For
    /// another type, implement ``decode(_:)``.
    associatedtype Response: Sendable = Void
    /// The type of the API's error bodies, for responses outside of 200..<300. With `Never`, the default,
    /// ``HTTPClient/Configuration/failure`` applies.
    associatedtype Failure: Decodable & Error = Never

    var method: HTTPRequest.Method { get }
    /// The path below the base URL, without a query.
    var path: String { get }
    /// The query's names and values, in order, not yet encoded.
    var query: [(name: String, value: String)] { get }
    var headers: HTTPFields { get }
    var body: RequestBody { get throws }
    /// How long the call may take, with all its attempts; `nil`, the default, is ``HTTPClient/Configuration/timeout``.
    /// A property of the type `Duration` does not count.
    var timeout: Duration? { get }
    /// Decodes the response and the failure; `nil` is the client's decoder. A property of the type `any BodyDecoder`
    /// does not count.
    var decoder: (any BodyDecoder)? { get }

    /// Makes the value of a response with a status in 200..<300.
    func decode(_ response: FreshetHTTP.Response) throws -> Response
}

extension Endpoint {
    public var method: HTTPRequest.Method { .get }
    public var query: [(name: String, value: String)] { [] }
    public var headers: HTTPFields { [:] }
    public var body: RequestBody { .empty }
    public var timeout: Duration? { nil }
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
