import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests that a refresh runs while requests that wait for it use every connection of the transport.
final class SaturatedTransportTests: ResourceTestCase {
    private static let calls = 40
    private var runtime: FreshetRuntime!

    override func setUpWithError() throws {
        try super.setUpWithError()
        var configuration = FreshetRuntime.Configuration()
        configuration.transport.pool.maximumConnectionsPerOrigin = 2
        configuration.transport.pool.maximumConnections = 2
        runtime = try FreshetRuntime(configuration: configuration)
    }

    override func tearDown() {
        runtime.shutdown()
        runtime = nil
    }

    /// Sends many requests at once with an expired token. The same server issues the new token.
    private func run(refusal: ScriptedResponse, refreshingBy client: HTTPClient) async throws {
        var rules = TokenServer.Rules()
        rules.expiryResponse = ExpiryResponse(response: refusal)
        let server = try TokenServer(on: runtime.loop, rules: rules)
        defer { server.close() }
        let tokens = server.signIn()
        let authenticator = try OAuthAuthenticator(tokenURL: RequestURL(server.tokenURL), client: client)
        var settings = RefreshGate.Settings()
        settings.deadline = .seconds(20)
        let gate = runtime.gate(
            store: MemoryStore(Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)),
            authenticator: authenticator, settings: settings)
        let api = try runtime.client(authenticatedBy: gate, authenticator, origins: [server.url])
        server.expireTokens()
        let texts = try await Observable.from(Array(0..<Self.calls)).flatMap { number in
            api.get("\(server.url)/\(number)").validate().map(\.text)
        }.toArray().value
        XCTAssertEqual(Set(texts), Set((0..<Self.calls).map { #"{"path":"/\#($0)"}"# }))
        XCTAssertEqual(server.counts.refreshes, 1)
        XCTAssertEqual(server.counts.refusals, 0)
    }

    // OkHttp 6747, 6754, 7904, godtools-android 4518: calls that waited held every slot for ever.
    func testTheRefreshDoesNotWaitForRequestsThatUseEveryConnection() async throws {
        // The body is longer than what the client inspects, so that each refused request keeps its connection while it waits.
        try await run(
            refusal: ScriptedResponse(status: .unauthorized, body: String(repeating: "x", count: 4_000_000)),
            refreshingBy: runtime.refreshClient)
    }

    // The refresh uses the same transport here: a request that waits for a credential releases its slot.
    func testTheRefreshIsSentAheadOfTheRequestsThatWaitForIt() async throws {
        try await run(refusal: ScriptedResponse(status: .unauthorized), refreshingBy: runtime.client)
    }
}
