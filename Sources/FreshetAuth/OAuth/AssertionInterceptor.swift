import FreshetCore
import FreshetHTTP

/// Gives each attempt at a request a new assertion of the client, because a server can reject one that it has received before.
/// Source: RFC 7523 section 3.
struct AssertionInterceptor: RequestInterceptor {
    private let make: @Sendable (_ endpoint: RequestURL) -> Single<String>
    private let body: @Sendable (_ assertion: String) -> RequestBody

    /// - Parameters:
    ///   - make: returns the assertion for a request to an endpoint.
    ///   - body: returns the form with an assertion.
    init(
        _ make: @escaping @Sendable (_ endpoint: RequestURL) -> Single<String>,
        body: @escaping @Sendable (_ assertion: String) -> RequestBody
    ) {
        self.make = make
        self.body = body
    }

    func adapt(_ request: inout Request) -> Adaptation {
        .waiting(
            make(request.url).map { [request, body] assertion in
                var request = request
                request.body = body(assertion)
                return request
            })
    }
}
