public import FreshetCore
public import FreshetHTTP

/// How a client proves itself to an authorization server. Source: RFC 6749 section 2.3.
public struct ClientAuthentication: Sendable {
    enum Method: Sendable {
        case none
        case basic(isEncoded: Bool)
        case form
        case basicOrForm
        case assertion(@Sendable (_ endpoint: RequestURL) -> Single<String>)
    }

    let method: Method

    /// The client has no secret, or proves itself by its certificate. Its identifier goes into the form.
    /// Source: RFC 6749 section 3.2.1, RFC 8705 section 2.
    public static let none = Self(method: .none)
    /// `Authorization: Basic`, with identifier and secret form-encoded. Source: RFC 6749 section 2.3.1.
    public static let basic = Self(method: .basic(isEncoded: true))
    /// `Authorization: Basic` with identifier and secret as they are, for servers that do not decode them.
    public static let basicRaw = Self(method: .basic(isEncoded: false))
    /// `client_id` and `client_secret` in the form.
    public static let form = Self(method: .form)
    /// ``basic`` at first. When a server answers that with `invalid_client`, one request goes out with ``form``; if the server
    /// accepts that, all later ones do.
    public static let basicOrForm = Self(method: .basicOrForm)

    /// A signed assertion, which `make` returns for each request, as no assertion can be sent twice. Source: RFC 7523
    /// section 2.2.
    ///
    /// - Parameter make: returns the assertion for a request to an endpoint; it must not block.
    @preconcurrency
    public static func assertion(_ make: @escaping @Sendable (_ endpoint: RequestURL) -> Single<String>) -> Self {
        Self(method: .assertion(make))
    }

    /// The assertion in a file, which is read for each request, as its owner replaces it: a service account token of
    /// Kubernetes, for example.
    ///
    /// - Parameters:
    ///   - path: the path of the file; blanks and line ends around the assertion are ignored.
    ///   - scheduler: where the file is read, which blocks. Not a loop.
    public static func assertion(fromFile path: String, on scheduler: any SchedulerType) -> Self {
        assertion { _ in AssertionFile(path).assertion(on: scheduler) }
    }
}
