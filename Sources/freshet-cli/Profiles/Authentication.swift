import Freshet

extension Profile {
    /// The longest body in bytes that is searched for the sign of an expired credential. Such a body can't be read in part.
    private static let longestSign = 1 << 20

    /// The interceptor that puts the profile's credential on requests, with the gate to that credential; `nil` for a profile that
    /// has no credential.
    ///
    /// - Parameters:
    ///   - stepUp: what a request does if its response demands another login.
    ///   - isReplayed: whether responses come from a recording. Its tokens are masked, so they never reach the store.
    ///   - ending: emits when the command ends.
    func authentication(
        on runtime: FreshetRuntime, whenStepUpIsRequired stepUp: StepUpPolicy, isReplayed: Bool,
        until ending: Observable<Void>
    ) throws -> AuthenticationInterceptor? {
        if case .absent = store { return nil }
        let authenticator = try authenticator(on: runtime, until: ending)
        var settings = RefreshGate.Settings()
        settings.whenStepUpIsRequired = stepUp
        if let refresh {
            settings.refreshLimit = refresh.limit
            settings.refreshWindow = refresh.window
            if let ahead = refresh.ahead { settings.advisoryWindow = .fixed(ahead) }
            settings.refreshesWhileIdle = refresh.whileIdle
        }
        let store: any CredentialStore = isReplayed ? Self.replayedStore : try store.opened(on: runtime)
        let gate = runtime.gate(store: store, authenticator: authenticator, settings: settings)
        warnAboutExposedOrigins()
        return AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: Set(origins),
            peekLimit: expired.body == nil ? 64 << 10 : Self.longestSign, allowsPlainHTTP: allowsPlainHTTP)
    }

    /// A replay needs no login.
    private static var replayedStore: MemoryStore {
        MemoryStore(Credential(accessToken: "REPLAYED", refreshToken: "REPLAYED"))
    }

    private func authenticator(
        on runtime: FreshetRuntime, until ending: Observable<Void>
    ) throws -> any Authenticator {
        guard let refresh else { return withoutRefresh }
        switch refresh.call {
        case .oauth(let tokenURL, let grant, let tokenRequest):
            let oauth = OAuthRefresh(
                profile: self, endpoint: refresh, tokenURL: tokenURL, grant: grant, request: tokenRequest,
                proof: refresh.provesPossession ? DPoP() : nil, runtime: runtime)
            return try oauth.authenticator(until: ending)
        case .template(let endpoint):
            return try allowingPlainHTTP {
                try ProfileAuthenticator(
                    endpoint: endpoint, placement: placement, expired: expired, allowsPlainHTTP: $0,
                    client: runtime.refreshClient)
            }
        }
    }

    /// How the credential is put on a request. ``ProfileFields`` adds the `headers`.
    var placement: CredentialPlacement { .authorization(scheme: scheme) }

    private var withoutRefresh: any Authenticator {
        ClosureAuthenticator(placement: placement, expired: expired) { [name] credential in
            guard credential != nil else { return .error(RefreshRefusal("no credential is stored")) }
            // No refusal: the store may serve other profiles that have one.
            return .error(
                HTTPClientError(
                    .refreshFailed, phase: .refreshing,
                    message: "it has expired or the server did not accept it, and the profile has no \"refresh\"",
                    recoverySuggestion:
                        "add \"refresh\" to the profile, or log in again with freshet login --profile \(ShellWord.quoted(name))"
                ))
        }
    }

    /// The authenticator that revokes the profile's credentials, however they are refreshed; `nil` without an address for
    /// revocation, which is `revoke_url` or is found by discovery.
    func revoker(on runtime: FreshetRuntime) throws -> (any Authenticator)? {
        guard let refresh else { return nil }
        let found = login.isDiscovered && refresh.revokeURL == nil ? try server(on: runtime) : nil
        guard let url = refresh.revokeURL ?? found?.revocationEndpoint else { return nil }
        var revoker = try allowingPlainHTTP {
            try OAuthAuthenticator(
                tokenURL: url, revocationURL: url, clientID: refresh.client.id, clientSecret: refresh.client.secret,
                clientAuthentication: refresh.client.authentication(runtime) { try issuer(on: runtime) },
                allowsPlainHTTP: $0, client: runtime.refreshClient)
        }
        revoker.issuer = found?.issuer
        return revoker
    }

    /// The issuer that the login names or discovery finds.
    private func issuer(on runtime: FreshetRuntime) throws -> String? {
        try login.issuer ?? (login.discover == nil ? nil : server(on: runtime).issuer)
    }

    /// The authorization server of the login, from the profile or by discovery.
    func server(on runtime: FreshetRuntime) throws -> AuthorizationServer {
        try result(of: ServerLocator(self, on: runtime).server(of: login)).server
    }

    /// Returns the value of `make`. If `make` refuses plain http, the error names the key that allows it.
    func allowingPlainHTTP<Value>(_ make: (Bool) throws -> Value) throws -> Value {
        do {
            return try make(allowsPlainHTTP)
        } catch var error as HTTPClientError where error.code == .invalidRequest {
            error.recoverySuggestion = "use https, or allow plain http there with \"allow_http\": true in the profile"
            throw error
        }
    }

    private func warnAboutExposedOrigins() {
        if allowsPlainHTTP { return }
        for origin in origins where origin.isExposed {
            Console.report(
                "note: \(origin) gets no credential over plain http, but with \"allow_http\": true in the profile")
        }
    }
}
