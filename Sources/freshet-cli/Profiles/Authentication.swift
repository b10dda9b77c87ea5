import Freshet

extension Profile {
    /// Of a body that may hold the sign of an expired credential: it can't be read in part.
    private static let longestSign = 1 << 20

    /// The gate to the profile's credential, and what puts it on requests.
    func authentication(on runtime: Runtime) throws -> AuthenticationInterceptor {
        let authenticator = try authenticator(refreshingBy: runtime.refreshClient)
        var settings = RefreshGate.Settings()
        if let refresh {
            settings.refreshLimit = refresh.limit
            settings.refreshWindow = refresh.window
        }
        let gate = runtime.gate(store: store.opened(on: runtime), authenticator: authenticator, settings: settings)
        return AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: Set(origins),
            peekLimit: expired.body == nil ? 64 << 10 : Self.longestSign)
    }

    func authenticator(refreshingBy client: HTTPClient) throws -> any Authenticator {
        let placement = CredentialPlacement.authorization(scheme: scheme, headers: headers)
        switch refresh?.call {
        case .oauth(let tokenURL, let grant, let clientID, let clientSecret)?:
            return try OAuthAuthenticator(
                tokenURL: tokenURL, revocationURL: refresh?.revokeURL, grant: grant, clientID: clientID,
                clientSecret: clientSecret, placement: placement, expired: expired, client: client)
        case .template(let endpoint)?:
            return try ProfileAuthenticator(endpoint: endpoint, placement: placement, expired: expired, client: client)
        case nil:
            return ClosureAuthenticator(placement: placement, expired: expired) { _ in
                .error(RefreshRefusal("the profile has no refresh"))
            }
        }
    }
}

extension StoreLocation {
    func opened(on runtime: Runtime) -> any CredentialStore {
        switch self {
        case .memory: MemoryStore()
        case .file(let path): runtime.fileStore(path)
        }
    }

    /// - Throws: ``HTTPClientError`` with code `store` where nothing would be left of a login.
    func openedForLogin(on runtime: Runtime) throws -> any CredentialStore {
        if case .memory = self {
            throw HTTPClientError(
                .store, phase: .storing,
                message: "a memory: store ends with this process; use file:PATH in the profile")
        }
        return opened(on: runtime)
    }
}
