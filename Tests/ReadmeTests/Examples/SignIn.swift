import Freshet

// The examples of the page of this name.

func signIn(issuer: String, on runtime: FreshetRuntime) -> Observable<LoginEvent> {
    Discovery(client: runtime.refreshClient).server(issuer: issuer).asObservable().flatMap { server in
        let endpoint = try TokenEndpoint(
            url: server.tokenEndpoint ?? RequestURL(issuer), clientID: "app", client: runtime.refreshClient)
        return BrowserLogin(
            server: server, endpoint: endpoint, callbacks: LoopbackReceiver(on: runtime.loop),
            scope: LoginScope(scope: "read"), scheduler: runtime.scheduler
        ).events()
    }
}

func bound(_ endpoint: TokenEndpoint) -> TokenEndpoint {
    var endpoint = endpoint
    endpoint.proofOfPossession = DPoP()
    return endpoint
}

func sealedGate(
    path: String, keyPath: String, authenticator: OAuthAuthenticator, runtime: FreshetRuntime
) -> RefreshGate {
    let store = FileStore.sealed(
        path: path, key: FileSealingKey(path: keyPath), scheduler: runtime.storeScheduler)
    let gate = runtime.gate(store: store, authenticator: authenticator)
    return gate
}

func assertingAuthenticator(
    _ tokenURL: String, issuer: String, pem: String, runtime: FreshetRuntime
) throws -> OAuthAuthenticator {
    let service = try OAuthAuthenticator(
        tokenURL: RequestURL(tokenURL), grant: .clientCredentials, clientID: "service",
        clientAuthentication: .privateKeyJWT(
            key: SigningKey(pem: pem), clientID: "service", keyID: "2026", audience: .text(issuer)),
        client: runtime.refreshClient)
    return service
}

func exchangingAuthenticator(
    _ tokenURL: String, of gate: RefreshGate, runtime: FreshetRuntime
) throws -> OAuthAuthenticator {
    let exchanging = try OAuthAuthenticator(
        tokenURL: RequestURL(tokenURL),
        grant: .tokenExchange { gate.credential().map { ExchangedToken($0.accessToken, .accessToken) } },
        clientID: "service", client: runtime.refreshClient)
    return exchanging
}

func settingsOfAWaitingGate() -> RefreshGate.Settings {
    var settings = RefreshGate.Settings()
    settings.whenLoginIsRequired = .wait
    settings.whenStepUpIsRequired = .wait
    settings.loginWait.deadline = .seconds(300)
    return settings
}
