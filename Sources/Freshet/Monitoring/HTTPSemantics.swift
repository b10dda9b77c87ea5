import FreshetHTTP
import HTTPTypes

/// How OpenTelemetry's conventions say of HTTP what is said in metrics and in traces.
///
/// Source: Semantic conventions for HTTP, stable since 1.23.
struct HTTPSemantics {
    /// The methods that may stand in an attribute; of others there could be any number.
    static let knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
    ]

    var knownMethods = Self.knownMethods

    func method(_ method: HTTPRequest.Method) -> String {
        knownMethods.contains(method.rawValue) ? method.rawValue : "_OTHER"
    }

    /// The kind of the error that the exchange ended with, or `nil` if it went well.
    func errorType(of exchange: Exchange) -> String? {
        if let failure = exchange.failure {
            return (failure as? HTTPClientError)?.code.rawValue ?? String(describing: type(of: failure))
        }
        return exchange.head.flatMap { $0.status.code >= 400 ? String($0.status.code) : nil }
    }
}
