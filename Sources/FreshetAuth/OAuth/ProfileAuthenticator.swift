public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Refreshes credentials at any endpoint that accepts and returns JSON. Values describe the request and the places of the tokens
/// in the response.
///
/// A response is a final refusal under the rules of ``OAuthAuthenticator``.
public struct ProfileAuthenticator: Authenticator {
    /// The request to the endpoint and the parts of its response.
    public struct Endpoint: Sendable {
        public var url: RequestURL
        public var method: HTTPRequest.Method = .post
        public var headers: HTTPFields = [:]
        /// The body. `{refresh_token}` in its strings, and in the values of ``headers``, stands for the refresh token.
        public var json: JSONValue?
        /// Where the response has the access token.
        public var accessToken: JSONPointer
        /// Where the response has the refresh token. If it has none there, the old one is kept.
        public var refreshToken: JSONPointer
        /// Where the response has the lifetime of the access token, in seconds.
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

        fileprivate static let placeholder = "{refresh_token}"

        /// The names of the fields and members that hold a token, in the request or in the response.
        fileprivate var secretNames: Set<String> {
            let fields = headers.filter { $0.value.contains(Self.placeholder) }.map(\.name.canonicalName)
            let members = [accessToken, refreshToken].compactMap(\.lastName)
            return (json?.names(holding: Self.placeholder) ?? []).union(fields + members)
        }
    }

    private let endpoint: Endpoint
    public let placement: CredentialPlacement
    public let expired: ExpiryRule
    private let exchange: RefreshExchange

    /// Creates an authenticator that asks `endpoint` for new credentials.
    ///
    /// - Parameters:
    ///   - endpoint: the request, and where the response has the tokens.
    ///   - placement: where in a request the credential is placed.
    ///   - expired: the rule for responses that report an expired credential.
    ///   - allowsPlainHTTP: whether the refresh token may be sent over plain http to another machine.
    ///   - client: sends the refresh, without its interceptors and without following redirects. It needs its own connections:
    ///     if requests that wait for the refresh occupy all connections of the transport, the refresh waits for them in turn.
    ///   - secondsSince1970: the wall clock from which the expiry of a credential is computed.
    /// - Throws: `HTTPClientError` with code `invalidRequest` if the refresh token would be sent over plain http and
    ///   `allowsPlainHTTP` is false.
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

    /// Whether the tokens are bound to no key, because requests get no proof of possession.
    public func canApply(_ credential: Credential) -> Bool { !credential.isBound }

    public func refresh(_ credential: Credential?) -> Single<Credential> {
        guard let token = credential?.refreshToken else { return .error(RefreshRefusal.withoutToken) }
        let filled: (String) -> String = { $0.replacing(Endpoint.placeholder, with: token) }
        var request = Request(method: endpoint.method, url: endpoint.url)
        request.tags[PlacedSecrets.self] = PlacedSecrets(names: endpoint.secretNames, needsNewResponse: true)
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
        return exchange.credential(from: endpoint.url, replacing: credential, by: expired) { [request] in
            $0.send(request)
        }
    }
}
