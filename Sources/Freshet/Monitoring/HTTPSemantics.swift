import FreshetHTTP
import HTTPTypes

/// The attribute values that metrics and traces share, by the conventions of OpenTelemetry.
///
/// Source: Semantic conventions for HTTP, stable since 1.23.
struct HTTPSemantics {
    /// The methods that are used as an attribute's value. Any other method becomes `_OTHER`, because their number has no limit.
    static let knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
    ]

    var knownMethods = Self.knownMethods

    func method(_ method: HTTPRequest.Method) -> String {
        knownMethods.contains(method.rawValue) ? method.rawValue : "_OTHER"
    }

    /// The kind of the error that ended the exchange, or the status if it is 400 or above; `nil` if the exchange ended well.
    func errorType(of exchange: Exchange) -> String? {
        if let failure = exchange.failure { return errorType(of: failure) }
        return exchange.head.flatMap { $0.status.code >= 400 ? String($0.status.code) : nil }
    }

    func errorType(of failure: any Error) -> String {
        (failure as? HTTPClientError)?.code.rawValue ?? String(describing: type(of: failure))
    }
}
