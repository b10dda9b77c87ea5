import Freshet

// The examples of the page of this name.

func signIn(issuer: String, on runtime: FreshetRuntime) -> Observable<LoginEvent> {
    Discovery(client: runtime.refreshClient).server(issuer: issuer).asObservable().flatMap { server in
        guard let tokenURL = server.tokenEndpoint else {
            throw HTTPClientError(.discovery, phase: .preparing, message: "\(issuer) has no token endpoint")
        }
        let endpoint = try TokenEndpoint(url: tokenURL, clientID: "app", client: runtime.refreshClient)
        return BrowserLogin(
            server: server, endpoint: endpoint, callbacks: LoopbackReceiver(on: runtime.loop),
            scope: LoginScope(scope: "read"), scheduler: runtime.scheduler
        ).events()
    }
}

func logIn(to gate: RefreshGate, issuer: String, on runtime: FreshetRuntime) async throws {
    for try await event in signIn(issuer: issuer, on: runtime).values {
        switch event {
        case .browser(let url, _): print("open \(url.absoluteString)")
        case .device(let code): print("enter \(code.userCode) at \(code.verificationURL.absoluteString)")
        case .ignored(let message): print(message)
        case .credential(let credential): _ = try await gate.login(credential).value
        }
    }
}

func signInByDevice(
    at deviceURL: RequestURL, with endpoint: TokenEndpoint, on runtime: FreshetRuntime
) -> Observable<LoginEvent> {
    return DeviceLogin(
        endpoint: endpoint, deviceURL: deviceURL, scope: LoginScope(scope: "read"), scheduler: runtime.scheduler
    ).events()
}

func signInByPasting(
    _ lines: Observable<String>, at server: AuthorizationServer, with endpoint: TokenEndpoint,
    on runtime: FreshetRuntime
) -> Observable<LoginEvent> {
    return BrowserLogin(
        server: server, endpoint: endpoint, callbacks: PasteReceiver(lines: lines),
        scope: LoginScope(scope: "read"), scheduler: runtime.scheduler
    ).events()
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

func waitingGate(
    store: any CredentialStore, authenticator: OAuthAuthenticator, runtime: FreshetRuntime
) -> RefreshGate {
    var settings = RefreshGate.Settings()
    settings.whenLoginIsRequired = .wait
    settings.whenStepUpIsRequired = .wait
    settings.loginWait.deadline = .seconds(300)
    let gate = runtime.gate(store: store, authenticator: authenticator, settings: settings)
    return gate
}
