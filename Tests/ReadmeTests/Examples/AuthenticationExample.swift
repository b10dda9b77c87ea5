import Freshet

/// The example of the page about authentication.
enum AuthenticationExample {
    static func items(
        of api: String, tokenURL: String, revocationURL: String, access: String, refresh: String, storedAt path: String,
        runtime: FreshetRuntime,
        show: @escaping @Sendable (String) -> Void
    ) async throws -> [String] {
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(tokenURL), revocationURL: RequestURL(revocationURL), clientID: "app",
            client: runtime.refreshClient)
        let gate = runtime.gate(store: runtime.fileStore(path), authenticator: authenticator)
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [api])
        let asking = gate.loginRequired.subscribe(onNext: { reason in show("please log in: \(reason)") })

        _ = try await gate.login(Credential(accessToken: access, refreshToken: refresh)).value
        let items = try await client.get("\(api)/items").validate().decode([String].self).value
        _ = try await gate.logout().value
        asking.dispose()
        return items
    }

    static func logIn(configuredWith refresh: String, to gate: RefreshGate) async throws {
        _ = try await gate.loginIfNeeded(Credential(refreshToken: refresh)).value
    }

    static func logIn(
        _ user: String, _ password: String, at api: String, tokenURL: String, to gate: RefreshGate,
        runtime: FreshetRuntime
    ) async throws {
        let endpoint = try TokenEndpoint(url: RequestURL(tokenURL), clientID: "app", client: runtime.refreshClient)
        let response = try await runtime.client.post("\(api)/login", json: ["user": user, "password": password]).value
        _ = try await gate.login(endpoint.credential(in: response)).value
    }
}
