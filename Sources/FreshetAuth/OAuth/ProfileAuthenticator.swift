public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Any refresh endpoint that takes and gives JSON, described by values: what is sent, and where in the answer the tokens are.
///
/// The same answers of the endpoint refuse the refresh for good as those of ``OAuthAuthenticator``.
public struct ProfileAuthenticator: Authenticator {
    /// What the endpoint is sent and answers.
    public struct Endpoint: Sendable {
        public var url: RequestURL
        public var method: HTTPRequest.Method = .post
        public var headers: HTTPFields = [:]
        /// The body; `{refresh_token}` in its strings, and in the values of ``headers``, is the refresh token.
        public var json: JSONValue?
        /// Where in the answer the tokens are; a refresh token that is not there stays as it was.
        public var accessToken: JSONPointer
        public var refreshToken: JSONPointer
        /// Where the answer says how many seconds the access token lives.
        public var expiresIn: JSONPointer

        public init(
            url: RequestURL, method: HTTPRequest.Method = .post, headers: HTTPFields = [:], json: JSONValue? = nil,
            accessToken: JSONPointer, refreshToken: JSONPointer, expiresIn: JSONPointer
        ) {
            self.url = url
            self.method = method
            self.headers = headers
            self.json = json
            self.accessToken = accessToken
            self.refreshToken = refreshToken
            self.expiresIn = expiresIn
        }
    }

    private let endpoint: Endpoint
    public let placement: CredentialPlacement
    public let expired: ExpiryRule
    private let exchange: RefreshExchange

    /// An authenticator that asks `endpoint` for new credentials.
    ///
    /// - Parameters:
    ///   - endpoint: what is asked, and where in the answer the tokens are.
    ///   - placement: where in a request the credential goes.
    ///   - expired: which answers say that it has ended.
    ///   - allowsPlainHTTP: whether the refresh token may go over plain http to another machine.
    ///   - client: sends the refresh, without its interceptors and without following redirects. It needs connections of
    ///     its own: if all places of a transport are taken by requests that wait for the refresh, it would wait for
    ///     them.
    ///   - secondsSince1970: the wall clock, from which the end of a credential is reckoned.
    /// - Throws: `HTTPClientError` with code `invalidRequest` if the refresh token would go over plain http and may not.
    @preconcurrency
    public init(
        endpoint: Endpoint, placement: CredentialPlacement = .authorization(), expired: ExpiryRule = ExpiryRule(),
        allowsPlainHTTP: Bool = false, client: HTTPClient,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) throws {
        try endpoint.url.origin.checkExposure(allowed: allowsPlainHTTP)
        self.endpoint = endpoint
        self.placement = placement
        self.expired = expired
        let reader = TokenResponseReader(
            accessToken: endpoint.accessToken, refreshToken: endpoint.refreshToken, expiresIn: endpoint.expiresIn,
            secondsSince1970: secondsSince1970)
        exchange = RefreshExchange(client: client, reader: reader)
    }

    public func refresh(_ credential: Credential?) -> Single<Credential> {
        guard let token = credential?.refreshToken else {
            return .error(RefreshRefusal("there is no refresh token"))
        }
        let filled: (String) -> String = { $0.replacing("{refresh_token}", with: token) }
        var request = Request(method: endpoint.method, url: endpoint.url)
        for var field in endpoint.headers {
            field.value = filled(field.value)
            request.headers.append(field)
        }
        if let json = endpoint.json {
            do {
                request.body = .bytes(try json.mapStrings(filled).encoded())
            } catch {
                return .error(error)
            }
            if request.headers[.contentType] == nil { request.headers[.contentType] = "application/json" }
        }
        if request.headers[.accept] == nil { request.headers[.accept] = "application/json" }
        return exchange.credential(from: endpoint.url, by: expired) { [request] in $0.send(request) }
    }
}
