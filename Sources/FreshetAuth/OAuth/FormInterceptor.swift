import FreshetCore
import FreshetHTTP

/// Makes the form of each attempt anew, because a server can reject an assertion that it has received before. Source: RFC 7523
/// section 3.
struct FormInterceptor: RequestInterceptor {
    /// Returns the form of a request to an endpoint.
    let fields: @Sendable (_ endpoint: RequestURL) -> Single<OAuthClient.Fields>

    func adapt(_ request: inout Request) -> Adaptation {
        .waiting(
            fields(request.url).map { [request] fields in
                var request = request
                request.body = .form(fields)
                return request
            })
    }
}
