import Foundation
import Freshet

/// One login of a profile at its authorization server.
struct LoginFlow {
    let profile: Profile
    let options: LoginOptions
    let runtime: FreshetRuntime
    /// The record in the store before the login.
    let stored: StoredCredential?
    /// The end of the login; `nil` without `--timeout`.
    let deadline: LoginDeadline?

    /// Runs the login, and returns its credential. Blocks until the user has logged in.
    func credential() throws -> Credential {
        let settings = options.settings(over: profile.login)
        let (server, resource) = try result(
            of: ServerLocator(profile, on: runtime, until: deadline).server(of: settings))
        let issuer = server.issuer.isEmpty ? nil : server.issuer
        var endpoint = try profile.allowingPlainHTTP {
            try TokenEndpoint(
                url: server.knownTokenEndpoint, clientID: profile.refresh?.client.id,
                clientSecret: profile.refresh?.client.secret,
                clientAuthentication: profile.refresh?.client.authentication(runtime) { issuer } ?? .none,
                allowsPlainHTTP: $0, client: deadline?.bound(runtime.refreshClient) ?? runtime.refreshClient)
        }
        if case .oauth(_, _, let request)? = profile.refresh?.call {
            // A login asks for its scope at the start. Servers refuse one in the token request. Source: RFC 6749 section 4.1.3.
            endpoint.fields = request.fields.filter { $0.name != "scope" }
            endpoint.headers = request.headers
        }
        endpoint.issuer = issuer
        endpoint.placement = .authorization(scheme: profile.scheme)
        if profile.refresh?.provesPossession == true { endpoint.proofOfPossession = DPoP() }
        let scope = LoginScope(
            scope: scope(settings, resource), resources: resources(settings, resource))
        let flow = settings.chosenFlow(server)
        var credential = try run(events(flow, server, endpoint, scope, settings))
        // Without a scope in its response, the server has granted all that was asked for. Source: RFC 6749 section 5.1.
        if credential.details.scope == nil, credential.details.extra["scope"] == nil {
            credential.details.scope = scope.scope
        }
        return credential
    }

    private func resources(_ settings: ProfileLogin, _ resource: ProtectedResource?) -> [String] {
        settings.resources.isEmpty ? (resource.map { [$0.resource] } ?? []) : settings.resources
    }

    /// The scopes of the options or the profile, else those of the resource. With `--step-up` the stored scopes are added.
    private func scope(_ settings: ProfileLogin, _ resource: ProtectedResource?) -> String? {
        let asked = settings.scope ?? resource?.scopes?.joined(separator: " ")
        guard options.stepUp else { return asked }
        var scopes: [Substring] = []
        for text in [stored?.credential?.details.scope, asked] {
            for scope in text?.split(separator: " ") ?? [] where !scopes.contains(scope) { scopes.append(scope) }
        }
        return scopes.isEmpty ? nil : scopes.joined(separator: " ")
    }

    private func events(
        _ flow: ProfileLogin.Flow, _ server: AuthorizationServer, _ endpoint: TokenEndpoint, _ scope: LoginScope,
        _ settings: ProfileLogin
    ) throws -> Observable<LoginEvent> {
        let rest = deadline?.rest
        let limit = rest ?? .seconds(600)
        // Without an issuer, the profile names the endpoint, and discovery has no part in it.
        if flow != .device, server.issuer.isEmpty {
            _ = try server.authorizationEndpoint.orMissing(
                "authorization endpoint", member: #""authorization_url" in "login""#)
        }
        if flow != .device, let origin = server.authorizationEndpoint?.origin, origin.isExposed {
            try profile.allowingPlainHTTP {
                if !$0 { throw HTTPClientError.refusal("the login page of \(origin) is plain http") }
            }
        }
        switch flow {
        case .device:
            return DeviceLogin(
                endpoint: endpoint,
                deviceURL: try server.deviceAuthorizationEndpoint.orMissing(
                    "device endpoint", member: #""device_url" in "login""#),
                scope: scope, limit: rest, scheduler: runtime.scheduler
            ).events()
        case .browser:
            return BrowserLogin(
                server: server, endpoint: endpoint,
                callbacks: LoopbackReceiver(on: runtime.loop, address: settings.callback), scope: scope, limit: limit,
                scheduler: runtime.scheduler
            ).events()
        case .paste:
            let host = settings.callback.host == .ipv6 ? "[::1]" : settings.callback.host.rawValue
            let port = settings.callback.port == 0 ? "" : ":\(settings.callback.port)"
            return BrowserLogin(
                server: server, endpoint: endpoint,
                callbacks: PasteReceiver(
                    lines: pastedLines(), redirectURI: "http://\(host)\(port)\(settings.callback.path)"),
                scope: scope, limit: limit, scheduler: runtime.scheduler
            ).events()
        }
    }

    private func pastedLines() -> Observable<String> {
        .create { observer in
            let isOver = BooleanDisposable()
            // Reading blocks until the user has pasted the address.
            Thread.detachNewThread {
                var input = SecretInput()
                do {
                    while !isOver.isDisposed,
                        let line = try input.line(
                            "the address of the page that the browser can't open after the login")
                    {
                        let address = line.trimmingCharacters(in: .whitespaces)
                        if !address.isEmpty { observer.onNext(address) }
                    }
                    observer.onCompleted()
                } catch {
                    observer.onError(error)
                }
            }
            return isOver
        }
    }

    /// Shows each event, and returns the credential of the last.
    private func run(_ events: Observable<LoginEvent>) throws -> Credential {
        let credential = Locked<Credential?>(nil)
        let report = LoginReport(options: options)
        try finish(
            events.do(onNext: { event in
                if case .credential(let found) = event { credential.withLock { $0 = found } }
                try report.show(event)
            }))
        guard let found = credential.withLock({ $0 }) else { throw RxError.noElements }
        return found
    }
}
