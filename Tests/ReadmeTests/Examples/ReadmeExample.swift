import Freshet
import FreshetHTTPTesting

/// The programs of the README.
enum ReadmeExample {
    static func first(_ url: String, print: (String) -> Void) async throws {
        let runtime = try FreshetRuntime()
        let text = try await runtime.client.get(url).validate().text().value
        print(text)
        runtime.shutdown()
    }

    static func run(print: (String) -> Void) async throws {
        let runtime = try FreshetRuntime()
        let server = try TokenServer(
            on: runtime.loop, rules: .init(expiry: .evenlySpread(overRequests: 1000, expiries: 3)))  // for tests
        let tokens = server.signIn()
        let store = MemoryStore(Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken))
        let authenticator = try OAuthAuthenticator(tokenURL: RequestURL(server.tokenURL), client: runtime.refreshClient)
        let gate = runtime.gate(store: store, authenticator: authenticator)
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [server.url])

        let responses = try await Observable.range(start: 1, count: 1000)
            .flatMap { client.get("\(server.url)/items/\($0)").validate() }.toArray().value
        print("\(responses.count) responses, \(server.counts.expiries) expiries, \(server.counts.refreshes) refreshes")
        let events = EventSource(try Request(.get, "\(server.url)/events"), by: client)
        for try await event in events.take(3).values { print(event.data) }
        runtime.shutdown()
    }
}
