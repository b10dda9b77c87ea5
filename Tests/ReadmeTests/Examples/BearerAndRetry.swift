import Freshet

/// The example of the page of this name.
enum BearerAndRetry {
    static func items(
        of api: String, tokenURL: String, storedAt path: String, runtime: FreshetRuntime
    ) async throws -> [String] {
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL(tokenURL), clientID: "app", client: runtime.refreshClient)
        let gate = runtime.gate(store: runtime.fileStore(path), authenticator: authenticator)
        let client = try runtime.client(
            authenticatedBy: gate, authenticator, origins: [api], interceptors: [RetryPolicy(limit: 2)])

        let items = try await client.get("\(api)/items").validate().decode([String].self).value
        return items
    }

    static func reason(of error: any Error) -> String {
        guard let error = error as? HTTPClientError, error.code == .loginRequired else { return "another error" }
        let original = error.response?.status.code ?? 0
        return "responded with \(original), and then: \(error.underlying.map { "\($0)" } ?? "nothing")"
    }
}
