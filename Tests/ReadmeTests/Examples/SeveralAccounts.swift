import Freshet

/// The examples of the page of this name.
enum SeveralAccounts {
    static func accounts(
        of api: String, tokenURL: String, storedIn folder: String, runtime: FreshetRuntime
    ) -> (AccountInterceptor, HTTPClient) {
        let accounts = AccountInterceptor { key in
            var authenticator = try OAuthAuthenticator(
                tokenURL: RequestURL(tokenURL), clientID: "app", client: runtime.refreshClient)
            authenticator.fields = key.scopes.isEmpty ? [] : [("scope", key.scopes.sorted().joined(separator: " "))]
            authenticator.requiredScopes = key.scopes
            let gate = runtime.gate(store: runtime.fileStore("\(folder)/\(key.name)"), authenticator: authenticator)
            return AuthenticationInterceptor(gate: gate, authenticator: authenticator, origins: [try Origin(api)])
        }
        let client = runtime.client.with(interceptors: [accounts])
        return (accounts, client)
    }

    static func items(
        of api: String, with credential: Credential, by accounts: AccountInterceptor, _ client: HTTPClient
    ) async throws -> [String] {
        let anna = CredentialKey(account: "anna", scopes: ["read"])
        _ = try await accounts.gate(for: anna).login(credential).value
        var request = try Request(.get, "\(api)/items")
        request.tags[CredentialKey.self] = anna
        let items = try await client.send(request).validate().decode([String].self).value
        return items
    }

    static func client(
        shop: AuthenticationInterceptor, admin: AuthenticationInterceptor, runtime: FreshetRuntime
    ) -> HTTPClient {
        let realms = RealmInterceptor([(realm: "shop", shop), (realm: "admin", admin)])
        let client = runtime.client.with(interceptors: [realms])
        return client
    }

    struct Reissue: Authenticator {
        let url: String
        let client: HTTPClient

        func refresh(_ credential: Credential?) -> Single<Credential> {
            client.post(url, body: .text(credential?.refreshToken ?? "")).validate().map { response in
                Credential(accessToken: response.text)
            }
        }
    }
}
