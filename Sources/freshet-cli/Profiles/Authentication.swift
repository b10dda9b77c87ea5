import Freshet

extension Profile {
    /// Of a body that may hold the sign of an expired credential: it can't be read in part.
    private static let longestSign = 1 << 20

    /// The gate to the profile's credential, and what puts it on requests.
    func authentication(on runtime: FreshetRuntime) throws -> AuthenticationInterceptor {
        let authenticator = try authenticator(on: runtime)
        var settings = RefreshGate.Settings()
        if let refresh {
            settings.refreshLimit = refresh.limit
            settings.refreshWindow = refresh.window
        }
        let gate = try runtime.gate(store: store.opened(on: runtime), authenticator: authenticator, settings: settings)
        warnAboutExposedOrigins()
        return AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: Set(origins),
            peekLimit: expired.body == nil ? 64 << 10 : Self.longestSign, allowsPlainHTTP: allowsPlainHTTP)
    }

    private func authenticator(on runtime: FreshetRuntime) throws -> any Authenticator {
        let placement = CredentialPlacement.authorization(scheme: scheme, headers: headers)
        let client = runtime.refreshClient
        switch refresh?.call {
        case .oauth(let tokenURL, let grant, let tokenRequest)?:
            var authenticator = try allowingPlainHTTP {
                try OAuthAuthenticator(
                    tokenURL: tokenURL, revocationURL: refresh?.revokeURL, grant: grant, clientID: refresh?.client.id,
                    clientSecret: refresh?.client.secret,
                    clientAuthentication: refresh?.client.authentication(runtime) ?? .none, placement: placement,
                    expired: expired, allowsPlainHTTP: $0, client: client)
            }
            authenticator.fields = tokenRequest.fields
            authenticator.headers = tokenRequest.headers
            if refresh?.provesPossession == true { authenticator.proofOfPossession = DPoP() }
            return authenticator
        case .template(let endpoint)?:
            return try allowingPlainHTTP {
                try ProfileAuthenticator(
                    endpoint: endpoint, placement: placement, expired: expired, allowsPlainHTTP: $0, client: client)
            }
        case nil:
            return ClosureAuthenticator(placement: placement, expired: expired) { _ in
                .error(RefreshRefusal("the profile has no refresh"))
            }
        }
    }

    /// Who can revoke the profile's credentials, however they are refreshed; `nil` without a `revoke_url`.
    func revoker(on runtime: FreshetRuntime) throws -> (any Authenticator)? {
        guard let refresh, let url = refresh.revokeURL else { return nil }
        return try allowingPlainHTTP {
            try OAuthAuthenticator(
                tokenURL: url, revocationURL: url, clientID: refresh.client.id, clientSecret: refresh.client.secret,
                clientAuthentication: refresh.client.authentication(runtime), allowsPlainHTTP: $0,
                client: runtime.refreshClient)
        }
    }

    /// What `make` gives, or its complaint about plain http with what allows that.
    private func allowingPlainHTTP<Value>(_ make: (Bool) throws -> Value) throws -> Value {
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
            Console.write(
                "freshet: note: \(origin) gets no credential over plain http, but with \"allow_http\": true in the profile\n"
            )
        }
    }
}

extension StoreLocation {
    func opened(on runtime: FreshetRuntime) throws -> any CredentialStore {
        switch self {
        case .memory: MemoryStore()
        case .file(let path): runtime.fileStore(path)
        case .redis(let url): try RedisStores.store(url, on: runtime)
        }
    }

    /// - Throws: ``HTTPClientError`` with code `store` where nothing would be left of a login.
    func openedForLogin(on runtime: FreshetRuntime) throws -> any CredentialStore {
        if case .memory = self {
            throw HTTPClientError(
                .store, phase: .storing,
                message: "a memory: store ends with this process", recoverySuggestion: "use file:PATH in the profile")
        }
        return try opened(on: runtime)
    }
}
