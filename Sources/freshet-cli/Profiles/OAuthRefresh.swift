import Freshet

/// Makes the authenticator that refreshes a profile's credential by OAuth 2.
struct OAuthRefresh {
    let profile: Profile
    let endpoint: RefreshEndpoint
    /// The token endpoint that the profile names.
    let tokenURL: RequestURL?
    let grant: OAuthGrant
    let request: RefreshEndpoint.TokenRequest
    /// Proves the possession of the key of bound tokens.
    let proof: DPoP?
    let runtime: FreshetRuntime

    /// - Parameter ending: emits when the command ends.
    func authenticator(until ending: Observable<Void>) throws -> any Authenticator {
        guard let tokenURL, !findsIssuer else { return discoveringAuthenticator(until: ending) }
        return try authenticator(at: tokenURL, revokingAt: endpoint.revokeURL, issuer: profile.login.issuer)
    }

    /// Whether the client has to name an issuer that discovery finds.
    private var findsIssuer: Bool {
        endpoint.client.needsIssuer && profile.login.issuer == nil && profile.login.discover != nil
    }

    /// - Parameter issuer: the issuer, if it is known, for a client authentication that names it.
    private func authenticator(
        at tokenURL: RequestURL, revokingAt revocationURL: RequestURL?, issuer: String?
    ) throws -> OAuthAuthenticator {
        var authenticator = try profile.allowingPlainHTTP {
            try OAuthAuthenticator(
                tokenURL: tokenURL, revocationURL: revocationURL, grant: grant, clientID: endpoint.client.id,
                clientSecret: endpoint.client.secret,
                clientAuthentication: endpoint.client.authentication(runtime) { issuer }, placement: profile.placement,
                expired: profile.expired, allowsPlainHTTP: $0, client: runtime.refreshClient)
        }
        authenticator.fields = request.fields
        authenticator.headers = request.headers
        authenticator.proofOfPossession = proof
        return authenticator
    }

    /// The authenticator of a profile without a token endpoint, or whose client has to name an issuer that is to be found. It finds
    /// the server when it first needs it.
    ///
    /// - Parameter ending: emits when the command ends. No token is spent before the server is found, so the end of the command
    ///   need not wait.
    private func discoveringAuthenticator(until ending: Observable<Void>) -> DiscoveringAuthenticator {
        let locator = ServerLocator(profile, on: runtime)
        return DiscoveringAuthenticator(
            placement: profile.placement, expired: profile.expired, needsLogin: grant.needsLogin, proof: proof
        ) {
            locator.server(of: profile.login).asObservable().take(until: ending)
                .ifEmpty(switchTo: .error(Self.hasEnded)).asSingle().map { found, _ in
                    var authenticator = try authenticator(
                        at: found.knownTokenEndpoint, revokingAt: found.revocationEndpoint, issuer: found.issuer)
                    // A profile that names its endpoint can name another issuer than the one whose tokens are stored.
                    if tokenURL == nil { authenticator.issuer = found.issuer }
                    return authenticator
                }
        }
    }

    private static var hasEnded: HTTPClientError {
        HTTPClientError(.cancelled, phase: .refreshing, message: "the command ended before the server was found")
    }
}
