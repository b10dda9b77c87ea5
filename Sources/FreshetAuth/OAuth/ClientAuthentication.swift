public import FreshetCore
public import FreshetHTTP

/// How a client authenticates to an authorization server. Source: RFC 6749 section 2.3.
public struct ClientAuthentication: Sendable {
    enum Method: Sendable {
        case none
        case basic(isEncoded: Bool)
        case form
        case basicOrForm
        case assertion(@Sendable (_ endpoint: RequestURL) -> Single<String>)
    }

    let method: Method

    /// The client has no secret, or authenticates by its certificate. Its identifier is sent in the form. Source: RFC 6749
    /// section 3.2.1, RFC 8705 section 2.
    public static let none = Self(method: .none)
    /// `Authorization: Basic`, with identifier and secret form-encoded. Source: RFC 6749 section 2.3.1.
    public static let basic = Self(method: .basic(isEncoded: true))
    /// `Authorization: Basic` with identifier and secret without form encoding, for servers that do not decode them.
    public static let basicRaw = Self(method: .basic(isEncoded: false))
    /// `client_id` and `client_secret` in the form.
    public static let form = Self(method: .form)
    /// Starts with ``basic``. When a server responds to that with `invalid_client`, the client sends the request once more with
    /// ``form``. If the server accepts that, all later requests use ``form``, until it refuses one with `invalid_client`. If the
    /// server refuses both, the response to ``basic`` counts, and the next request tries both again.
    public static let basicOrForm = Self(method: .basicOrForm)

    /// A signed assertion. `make` is called for each attempt at a request, because a server can reject an assertion that it
    /// has received before. Source: RFC 7523 sections 2.2 and 3.
    ///
    /// - Parameter make: returns the assertion for a request to an endpoint; it must not block.
    @preconcurrency
    public static func assertion(_ make: @escaping @Sendable (_ endpoint: RequestURL) -> Single<String>) -> Self {
        Self(method: .assertion(make))
    }

    /// An assertion in a file, for example a service account token of Kubernetes. The file is read for each request, because
    /// its owner replaces it.
    ///
    /// - Parameters:
    ///   - path: the path of the file. Whitespace around the assertion is ignored.
    ///   - scheduler: runs the blocking read of the file. It must not be a loop.
    public static func assertion(fromFile path: String, on scheduler: any SchedulerType) -> Self {
        assertion { _ in AssertionFile(path).assertion(on: scheduler) }
    }
}
