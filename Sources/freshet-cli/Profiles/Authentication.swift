import Freshet

extension Profile {
    /// The gate to the profile's credential, and what puts it on requests.
    ///
    /// - Parameter client: sends the refreshes, over connections of its own.
    func interceptor(refreshingBy client: HTTPClient, on loop: Loop) throws -> AuthenticationInterceptor {
        let authenticator = try authenticator(refreshingBy: client)
        var settings = RefreshGate.Settings()
        settings.needsLogin = authenticator.needsLogin
        if let refresh {
            settings.refreshLimit = refresh.limit
            settings.refreshWindow = refresh.window
        }
        let gate = RefreshGate(
            store: store.opened(on: loop), scheduler: LoopScheduler(loop), settings: settings,
            refresh: authenticator.refresh)
        return AuthenticationInterceptor(gate: gate, authenticator: authenticator, origins: Set(origins))
    }

    private func authenticator(refreshingBy client: HTTPClient) throws -> any Authenticator {
        let placement = CredentialPlacement.authorization(scheme: scheme, headers: headers)
        switch refresh?.call {
        case .oauth(let tokenURL, let grant, let clientID, let clientSecret)?:
            return try OAuthAuthenticator(
                tokenURL: tokenURL, grant: grant, clientID: clientID, clientSecret: clientSecret,
                placement: placement, expired: expired, client: client)
        case .template(let endpoint)?:
            return ProfileAuthenticator(endpoint: endpoint, placement: placement, expired: expired, client: client)
        case nil:
            return ClosureAuthenticator(placement: placement, expired: expired) { _ in
                .error(RefreshRefusal("the profile has no refresh"))
            }
        }
    }
}

extension StoreLocation {
    func opened(on loop: Loop) -> any CredentialStore {
        switch self {
        case .memory: MemoryStore()
        case .file(let path): FileStore(path: path, scheduler: BlockingScheduler(on: loop))
        }
    }

    /// - Throws: ``HTTPClientError`` with code `store` where nothing would be left of a login.
    func openedForLogin(on loop: Loop) throws -> any CredentialStore {
        if case .memory = self {
            throw HTTPClientError(
                .store, phase: .storing, message: "a memory: store ends with this process; use file:PATH in the profile"
            )
        }
        return opened(on: loop)
    }
}
