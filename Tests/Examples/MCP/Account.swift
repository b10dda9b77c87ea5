import Foundation
import Freshet

/// The person's account at the authorization server of one MCP server.
final class Account: Sendable {
    /// Puts the credential on requests, refreshes it, and logs in again where a request needs more rights.
    let client: HTTPClient

    /// Logs in; `nil` if the server wants no credential.
    init?(at url: RequestURL, on runtime: FreshetRuntime) async throws {
        let response = try await runtime.client.send(Request(method: .post, url: url)).value
        guard response.status == .unauthorized else { return nil }
        let challenge = AuthenticationChallenge.all(in: response.headers).first { $0["resource_metadata"] != nil }
        let discovery = Discovery(client: runtime.refreshClient)
        let resource = try await discovery.resource(at: url, challenge: challenge).value
        let server = try await discovery.server(of: resource).value
        let login = Login(at: server, for: resource, on: runtime)
        let first = try await login.credential(scopes: challenge?.scopes ?? resource.scopes ?? []).value

        var authenticator = try login.authenticator()
        authenticator.fields = [("resource", resource.resource)]
        var settings = RefreshGate.Settings()
        settings.whenStepUpIsRequired = .wait
        settings.loginWait.deadline = .seconds(600)
        let gate = runtime.gate(store: MemoryStore(), authenticator: authenticator, settings: settings)
        _ = try await gate.login(first).value
        // The next login asks for the scopes of the former one too: two tools would push each other's out for ever.
        _ = gate.stepUpRequired.flatMapFirst { demand in
            let former = gate.current?.details.scope?.split(separator: " ").map(String.init) ?? []
            return login.credential(scopes: former + demand.scopes.filter { !former.contains($0) })
                .flatMap { gate.login($0, revokesReplaced: true) }.map { _ in }
                .catch { _ in .just(gate.abandonLogin()) }
        }.subscribe()
        let interceptor = AuthenticationInterceptor(gate: gate, authenticator: authenticator, origins: [url.origin])
        client = runtime.client.with(interceptors: [interceptor])
    }
}

/// Logins by browser, as a client that registers at the first one.
final class Login: Sendable {
    private let server: AuthorizationServer
    private let resource: ProtectedResource
    private let runtime: FreshetRuntime
    /// The client, and the port of the redirect URI that it is registered with.
    private let registered = Locked<(client: RegisteredClient, port: Int)?>(nil)

    init(at server: AuthorizationServer, for resource: ProtectedResource, on runtime: FreshetRuntime) {
        self.server = server
        self.resource = resource
        self.runtime = runtime
    }

    func credential(scopes: [String]) -> Single<Credential> {
        var address = LoopbackReceiver.Address()
        address.port = registered.withLock { $0?.port } ?? 0
        let login = BrowserLogin(
            server: server, callbacks: LoopbackReceiver(on: runtime.loop, address: address),
            scope: LoginScope(
                scope: scopes.isEmpty ? nil : scopes.joined(separator: " "), resources: [resource.resource]),
            scheduler: runtime.scheduler
        ) { self.endpoint($0) }
        return login.events().compactMap { event in
            switch event {
            case .browser(let url, _): Self.open(url.absoluteString)
            case .credential(let credential): return credential
            case .device, .ignored: break
            }
            return nil
        }.asSingle()
    }

    func authenticator() throws -> OAuthAuthenticator {
        let client = registered.withLock { $0?.client }
        return try OAuthAuthenticator(
            tokenURL: server.tokenEndpoint ?? RequestURL(server.issuer), revocationURL: server.revocationEndpoint,
            clientID: client?.id, clientSecret: client?.secret, client: runtime.refreshClient)
    }

    private func endpoint(_ redirectURI: String) -> Single<TokenEndpoint> {
        let known = registered.withLock { $0?.client }
        var metadata = ClientMetadata(name: "Freshet's example", redirectURIs: [redirectURI])
        metadata.scope = server.scopes?.joined(separator: " ")
        let registration = ClientRegistration(client: runtime.refreshClient).register(metadata, at: server)
        return (known.map { .just($0) } ?? registration).map { [registered, server, runtime] client in
            let port = try RequestURL(redirectURI).port
            registered.withLock { $0 = (client, port) }
            return try client.tokenEndpoint(of: server, client: runtime.refreshClient)
        }
    }

    private static func open(_ address: String) {
        FileHandle.standardError.write(Data("Open \(address)\n".utf8))
        let browser = Process()
        browser.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        browser.arguments = [ProcessInfo.processInfo.environment["BROWSER"] ?? "xdg-open", address]
        // Where there is no browser, the person opens the address.
        try? browser.run()
    }
}

extension AuthenticationChallenge {
    var scopes: [String]? { self["scope"]?.split(separator: " ").map(String.init) }
}
