public import HTTPTypes

/// One call of an API as a value. Source: Moya's `TargetType`.
public protocol Endpoint: Sendable {
    associatedtype Response: Decodable & Sendable

    var method: HTTPRequest.Method { get }
    /// The path below the base URL, without a query.
    var path: String { get }
    /// The query's names and values, in order, not yet encoded.
    var query: [(name: String, value: String)] { get }
    var headers: HTTPFields { get }
    var body: RequestBody { get }
}

extension Endpoint {
    public var method: HTTPRequest.Method { .get }
    public var query: [(name: String, value: String)] { [] }
    public var headers: HTTPFields { [:] }
    public var body: RequestBody { .empty }
}
