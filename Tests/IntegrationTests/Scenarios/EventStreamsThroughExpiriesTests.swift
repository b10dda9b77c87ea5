import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests many event streams at once on a server that ends them with their tokens: each expiry causes one refresh, and no event
/// is lost or delivered twice.
final class EventStreamsThroughExpiriesTests: ScenarioTestCase {
    private static let count = 100

    private func waitUntil(_ what: String, _ isSo: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !isSo() {
            guard ContinuousClock.now < deadline else { return XCTFail("not within 30 s: \(what)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Follows the streams, and returns the numbers of the events of each stream so far.
    private func follow(
        _ server: TokenServer, _ client: HTTPClient
    ) throws -> (streams: [Locked<[Int]>], subscription: CompositeDisposable) {
        var settings = EventSource.Settings()
        settings.reconnectionTime = .milliseconds(50)
        let source = EventSource(try Request(.get, server.eventsURL), by: client, settings: settings)
        let streams = (0..<Self.count).map { _ in Locked<[Int]>([]) }
        let subscription = CompositeDisposable()
        for stream in streams {
            subscription.insert(
                source.subscribe(
                    onNext: { event in stream.withLock { $0.append(Int(event.id) ?? 0) } },
                    onError: { XCTFail("\($0)") }))
        }
        return (streams, subscription)
    }

    private func isWhole(_ stream: Locked<[Int]>) -> Bool {
        stream.withLock { $0 == Array(1...max(1, $0.count)) }
    }

    func testStreamsContinueThroughRevokedTokens() async throws {
        var rules = TokenServer.Rules()
        rules.eventInterval = .milliseconds(50)
        let server = try TokenServer(on: loop, rules: rules)
        let authenticator = try oauth(server)
        let gate = gate(MemoryStore(Credential(server.signIn())), authenticator)
        let (streams, subscription) = try follow(
            server,
            client(
                AuthenticationInterceptor(gate: gate, authenticator: authenticator, origins: [try Origin(server.url)])))
        for expiry in 1...4 {
            try await waitUntil("all run") { server.counts.streams == expiry * Self.count }
            let seen = streams.map { stream in stream.withLock { $0.count } }
            try await waitUntil("events on all") {
                zip(streams, seen).allSatisfy { stream, count in stream.withLock { $0.count > count + 3 } }
            }
            if expiry < 4 { server.expireTokens() }
        }
        subscription.dispose()
        XCTAssertTrue(streams.allSatisfy(isWhole))
        XCTAssertEqual(server.counts.refreshes, 3)
        XCTAssertEqual(server.counts.reuses, 0)
    }

    func testStreamsContinueThroughExpiringTokens() async throws {
        var rules = TokenServer.Rules(expiry: .after(.seconds(1)))
        rules.eventInterval = .milliseconds(50)
        let server = try TokenServer(on: loop, rules: rules)
        let authenticator = try oauth(server)
        let gate = gate(MemoryStore(Credential(server.signIn())), authenticator)
        let (streams, subscription) = try follow(
            server,
            client(
                AuthenticationInterceptor(gate: gate, authenticator: authenticator, origins: [try Origin(server.url)])))
        try await waitUntil("60 events each") { streams.allSatisfy { stream in stream.withLock { $0.count >= 60 } } }
        subscription.dispose()
        XCTAssertTrue(streams.allSatisfy(isWhole))
        XCTAssertEqual(server.counts.reuses, 0)
        XCTAssertEqual(server.counts.refusals, 0)
        XCTAssertEqual(server.counts.refreshes, gateRefreshes(server), "each token was used")
    }

    private func gateRefreshes(_ server: TokenServer) -> Int { server.requests.filter { $0.path == "/token" }.count }
}
