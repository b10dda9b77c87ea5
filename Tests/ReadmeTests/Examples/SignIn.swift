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

func settingsOfAWaitingGate() -> RefreshGate.Settings {
    var settings = RefreshGate.Settings()
    settings.whenLoginIsRequired = .wait
    settings.whenStepUpIsRequired = .wait
    settings.loginWait.deadline = .seconds(300)
    return settings
}
