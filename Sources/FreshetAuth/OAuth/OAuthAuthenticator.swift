public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// Refreshes credentials at an OAuth 2 token endpoint, with a refresh token or another ``OAuthGrant``. Source: RFC 6749
/// sections 6 and 4.4.
///
/// A response of the endpoint is a final refusal in three cases: its `error` is one of ``finalErrors``; it has no `error` and a
/// status of 400, 401 or 403; or it reports an expired credential according to ``expired``. The statuses 408, 429, and 500 and
/// above are temporary unless ``expired`` matches. Every other `error` keeps the tokens too: `invalid_client`, for example,
/// says that the client's own settings are wrong.
public struct OAuthAuthenticator: Authenticator {
    /// The grant that gets a new access token.
    public let grant: OAuthGrant
    public var placement: CredentialPlacement { ownPlacement ?? (proofOfPossession == nil ? .bearer : .dpop) }
    public let expired: ExpiryRule
    /// Further form fields of each token request: `scope`, `audience`, `resource`. A name can occur more than once. A field of the
    /// grant or of the client, such as `grant_type`, replaces those of its name. Source: RFC 6749 sections 3.2 and 3.3, RFC 8707
    /// section 2.
    public var fields: [(name: String, value: String)] = []
    /// Further header fields of each token request and of each revocation.
    public var headers: HTTPFields = [:]
    /// Binds the tokens to a key, which is stored with them. The scheme is then `DPoP`, unless a placement was given. Source: RFC
    /// 9449 section 7.1.
    public var proofOfPossession: (any ProofOfPossession)?
    /// The authorization server, which is stored with the tokens. Source: RFC 8414 section 2.
    public var issuer: String?
    /// The scopes that a token must have. A response that names its token's scope without one of them is an error. Its access
    /// token is not used; a new refresh token in it is kept. An empty set accepts any scope. Source: RFC 6749 section 5.1.
    public var requiredScopes: Set<String> = []
    /// The values of the endpoint's `error` that end the session. Other registered values keep the tokens.
    public var finalErrors = OAuthErrorCode.final

    private let ownPlacement: CredentialPlacement?
    private let tokenURL: RequestURL
    private let revocation: OAuthRevocation?
    private let oauth: OAuthClient
    private let exchange: RefreshExchange

    /// Creates an authenticator that asks the token endpoint of an OAuth server for new credentials.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint.
    ///   - revocationURL: the endpoint of ``revoke(_:)`` (RFC 7009); without it ``revoke(_:)`` does nothing.
    ///   - grant: the grant that gets a new credential.
    ///   - clientID: the client's identifier; `nil` for an anonymous client.
    ///   - clientSecret: the client's secret; never shown.
    ///   - clientAuthentication: how the client authenticates.
    ///   - placement: where in a request the credential is placed; by default in `Authorization`.
    ///   - expired: the rule for responses that report an expired credential.
    ///   - allowsPlainHTTP: whether tokens and secret may be sent over plain http to another machine.
    ///   - client: sends the refresh, without its interceptors and without following redirects. It needs its own connections:
    ///     if requests that wait for the refresh occupy all connections of the transport, the refresh waits for them in turn.
    ///   - secondsSince1970: the wall clock from which the expiry of a credential is computed.
    /// - Throws: `HTTPClientError` with code `invalidRequest` if tokens would be sent over plain http and `allowsPlainHTTP` is
    ///   false.
    @preconcurrency
    public init(
        tokenURL: RequestURL, revocationURL: RequestURL? = nil, grant: OAuthGrant = .refreshToken,
        clientID: String? = nil,
        clientSecret: String? = nil, clientAuthentication: ClientAuthentication = .basicOrForm,
        placement: CredentialPlacement? = nil, expired: ExpiryRule = ExpiryRule(),
        allowsPlainHTTP: Bool = false, client: HTTPClient,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970
    ) throws {
        for url in [tokenURL, revocationURL] {
            try url?.origin.checkExposure(allowed: allowsPlainHTTP)
        }
        self.tokenURL = tokenURL
        self.grant = grant
        ownPlacement = placement
        self.expired = expired
        let oauth = OAuthClient(id: clientID, secret: clientSecret, authentication: clientAuthentication)
        self.oauth = oauth
        revocation = revocationURL.map {
            OAuthRevocation(at: $0, by: oauth, over: client, secondsSince1970: secondsSince1970)
        }
        exchange = RefreshExchange(client: client, reader: try .standard(secondsSince1970: secondsSince1970))
    }

    public var needsLogin: Bool { grant.needsLogin }

    public func refresh(_ credential: Credential?) -> Single<Credential> {
        // Other grants send nothing of the stored tokens.
        if grant.needsLogin {
            if credential?.refreshToken == nil { return .error(RefreshRefusal.withoutToken) }
            if isOfAnotherServer(credential) { return .error(RefreshRefusal.ofAnotherServer) }
        }
        return .deferred { try request(for: credential) }
    }

    /// Whether another authorization server has issued the tokens, as far as it is known. It alone may receive them. Source: RFC
    /// 6749 section 10.4.
    private func isOfAnotherServer(_ credential: Credential?) -> Bool {
        guard let issuer, let other = credential?.details.issuer else { return false }
        // People often write an issuer with or without its final slash.
        func name(_ issuer: String) -> Substring { issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...] }
        return !name(issuer).utf8.elementsEqual(name(other).utf8)
    }

    /// Sends one token request, with the private key that the refresh token is bound to, or with a new one.
    private func request(for credential: Credential?) throws -> Single<Credential> {
        let key = try proofOfPossession.map { try credential?.details.proofKey ?? $0.newKey() }
        let interceptors = proofOfPossession.flatMap { proof in key.map { [ProofInterceptor(proof, key: $0)] } } ?? []
        let (oauth, grant, tokenURL, headers, issuer) = (oauth, grant, tokenURL, headers, issuer)
        let form = { @Sendable [fields] (endpoint: RequestURL) in
            grant.fields(credential, endpoint).map { own in own + OAuthClient.fields(fields, without: own) }
        }
        return exchange.credential(
            from: tokenURL, replacing: credential, finalErrors: finalErrors, by: expired, client: oauth, check: check,
            complete: { credential in
                var credential = credential
                credential.details.issuer = issuer
                credential.details.proofKey = key
                return credential
            },
            send: { client in
                let client = interceptors.isEmpty ? client : client.with(interceptors: interceptors)
                return oauth.send(form, headers: headers, to: tokenURL, over: client)
            })
    }

    public func apply(_ credential: Credential, to request: Request) -> Request {
        var request = placement(of: credential).apply(credential, to: request)
        if let proofOfPossession, let key = credential.details.proofKey {
            // Errors are ignored: without a proof the server refuses the request and states the reason.
            try? proofOfPossession.prove(&request, key: key, accessToken: credential.accessToken)
        }
        return request
    }

    public func canApply(_ credential: Credential) -> Bool { proofOfPossession != nil || !credential.isBound }

    public func isRequest(_ request: Request, authenticatedWith credential: Credential) -> Bool {
        placement(of: credential).isRequest(request, authenticatedWith: credential)
    }

    /// The placement of one credential. A token that was issued before there was a proof is bound to no key.
    private func placement(of credential: Credential) -> CredentialPlacement {
        ownPlacement ?? (credential.details.proofKey == nil ? .bearer : placement)
    }

    public func demandsNewProof(_ response: Response) -> Bool {
        // At a token endpoint `invalid_request` can be about the proof, elsewhere it is about the request.
        OAuthErrorCode(response) != .invalidRequest && proofOfPossession?.isDemanded(by: response) ?? false
    }

    public func received(_ head: HTTPResponse, from origin: Origin) {
        proofOfPossession?.received(head, from: origin, isTokenEndpoint: false)
    }

    // The same as the default implementation, which would copy the whole authenticator for each request.
    public func excludes(_ request: Request) -> Bool { placement.excludes(request) }

    public func revoke(_ credential: Credential) -> Completable {
        if isOfAnotherServer(credential) { return .error(RefreshRefusal.ofAnotherServer) }
        return revocation?.revoke(credential, headers: headers) ?? .empty()
    }

    /// Checks the type and the scope of a token.
    @Sendable
    private func check(_ members: [String: JSONValue]) throws(MalformedTokenResponse) {
        // A token that is no access token has this type. Source: RFC 8693 section 2.2.1.
        if !grant.requestsOtherToken || members["token_type"]?.text?.lowercased() != "n_a" {
            try placement.checkType(in: members, isBound: proofOfPossession != nil)
        }
        guard !requiredScopes.isEmpty, case .string(let scope)? = members["scope"] else { return }
        // GitHub and Slack separate scopes with commas, which RFC 6749 allows within a scope.
        let scopes = scope.split(separator: " ").flatMap { [$0] + $0.split(separator: ",") }
        guard requiredScopes.isSubset(of: scopes.map(String.init)) else {
            throw MalformedTokenResponse("its scope lacks some that are required")
        }
    }
}

extension OAuthAuthenticator: CustomReflectable {
    /// Without the values of the fields, which can be secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "tokenURL": tokenURL, "grant": grant, "placement": placement, "fields": fields.map(\.name),
                "headers": headers.map(\.name),
            ])
    }
}
