public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Sends requests of a login to the token endpoint of an authorization server; ``OAuthAuthenticator`` handles refreshes.
/// Source: RFC 6749 section 3.2.
public struct TokenEndpoint: Sendable {
    public let url: RequestURL
    /// The client's identifier; `nil` for an anonymous client.
    public let clientID: String?
    /// Further form fields of each token request, such as `audience`. Other endpoints do not receive them. A field that the login
    /// or the client sends itself replaces those of its name.
    public var fields: [(name: String, value: String)] = []
    /// Further header fields of each request.
    public var headers: HTTPFields = [:]
    /// The authorization server, which is stored with the tokens.
    public var issuer: String?
    /// Binds the tokens to a key.
    public var proofOfPossession: (any ProofOfPossession)?
    /// Where the tokens will be placed in requests. It decides which types of tokens can be used.
    public var placement = CredentialPlacement.authorization()

    private let oauth: OAuthClient
    private let allowsPlainHTTP: Bool
    private let client: HTTPClient
    private let reader: TokenResponseReader

    /// - Parameters:
    ///   - url: the token endpoint.
    ///   - clientID: the client's identifier.
    ///   - clientSecret: the client's secret; never shown.
    ///   - clientAuthentication: how the client authenticates.
    ///   - allowsPlainHTTP: whether tokens and secret may be sent over plain http to another machine.
    ///   - client: sends the requests, without its interceptors and without following redirects.
    ///   - secondsSince1970: the wall clock.
    /// - Throws: `HTTPClientError` with code `invalidRequest` if tokens would be sent over plain http and `allowsPlainHTTP` is
    ///   false.
    @preconcurrency
    public init(
        url: RequestURL, clientID: String?, clientSecret: String? = nil,
        clientAuthentication: ClientAuthentication = .basicOrForm, allowsPlainHTTP: Bool = false, client: HTTPClient,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) throws {
        try url.origin.checkExposure(allowed: allowsPlainHTTP)
        self.url = url
        self.clientID = clientID
        self.allowsPlainHTTP = allowsPlainHTTP
        oauth = OAuthClient(id: clientID, secret: clientSecret, authentication: clientAuthentication)
        self.client = RefreshExchange.plain(client)
        reader = try .standard(secondsSince1970: secondsSince1970)
    }

    /// Completes once the client starts no more requests; see `HTTPClient.closing`.
    public var closing: Completable { client.closing }

    /// Sends a form with the client's authentication. Emits the response, whatever its status.
    ///
    /// - Parameters:
    ///   - fields: the form, without the client's fields.
    ///   - other: another endpoint of the same server, used instead of ``url``. It fails with code `invalidRequest`, and nothing is
    ///     sent, if it is plain http on another machine and that is not allowed.
    ///   - key: the private key that the tokens will be bound to, as PEM.
    public func send(
        _ fields: [(name: String, value: String)], to other: RequestURL? = nil, key: String? = nil
    ) -> Single<Response> {
        let url = other ?? url
        do {
            try url.origin.checkExposure(allowed: allowsPlainHTTP)
        } catch {
            return .error(error)
        }
        var client = client
        if let proofOfPossession, let key {
            client = client.with(interceptors: [ProofInterceptor(proofOfPossession, key: key)])
        }
        // A form has each field once, and a login's own resources are those that the person has agreed to.
        let further = other == nil ? OAuthClient.fields(self.fields, without: fields) : []
        return oauth.send({ _ in .just(fields + further) }, headers: headers, to: url, over: client)
    }

    /// Returns the credential in `response`.
    ///
    /// - Parameters:
    ///   - response: a response from ``send(_:to:key:)``.
    ///   - key: the private key that the request was sent with.
    /// - Throws: `HTTPClientError` with code `accessDenied` if the person or the server has refused, `status` for another
    ///   refusal, or `decoding` if the response contains no credential.
    public func credential(in response: Response, key: String? = nil) throws -> Credential {
        guard (200..<300).contains(response.status.code), OAuthErrorCode(response) == nil else {
            throw refusal(in: response)
        }
        do throws(MalformedTokenResponse) {
            var credential = try reader.credential(in: response) { members throws(MalformedTokenResponse) in
                try placement.checkType(in: members, isBound: key != nil)
            }
            credential.details.issuer = issuer
            credential.details.proofKey = key
            return credential
        } catch {
            throw HTTPClientError(
                .decoding, phase: .decoding, origin: url.origin.description,
                message: "the response of the token endpoint makes no sense: \(error.reason)",
                recoverySuggestion: "check the address of the token endpoint", response: response)
        }
    }

    /// Returns the error of a response that contains no credential, from this endpoint or another one of the same server.
    public func refusal(in response: Response) -> HTTPClientError {
        let code = OAuthErrorCode(response)
        let isDenied = code == .accessDenied || code?.rawValue == "authorization_declined"
        let isClient = code == .invalidClient
        return HTTPClientError(
            isDenied ? .accessDenied : .status, phase: .receiving, origin: url.origin.description,
            message: "the endpoint \(response.url.redacted) responded with \(response.statusAndError)"
                + (isClient ? " to a client with \(oauth.methodName)" : ""),
            recoverySuggestion: isDenied
                ? OAuthErrorCode.accessDenied.recoverySuggestion
                : code.flatMap(Self.advice) ?? (response.status.code >= 500 ? .tryAgainLater : nil),
            response: response)
    }

    private static func advice(_ code: OAuthErrorCode) -> HTTPClientError.RecoverySuggestion? {
        switch code {
        case .invalidClient: "check the client's identifier and secret, and its way to prove itself (client_auth)"
        case .invalidGrant: "begin the login again"
        default: code.recoverySuggestion
        }
    }
}

extension TokenEndpoint: CustomReflectable {
    /// Without the values of the fields, which can be secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "url": url, "clientID": clientID as Any, "fields": fields.map(\.name), "headers": headers.map(\.name),
            ])
    }
}
