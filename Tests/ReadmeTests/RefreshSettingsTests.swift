import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs the examples of the pages about refreshing.
final class RefreshSettingsTests: LiveExampleTestCase {
    func testARefreshIsReportedWithItsCauseAndOutcome() async throws {
        let authenticator = ClosureAuthenticator { _ in .just(Credential(accessToken: "a2")) }
        let store = MemoryStore(Credential(accessToken: "a1", refreshToken: "r1"))
        let gate = RefreshSettingsExample.patient(store, authenticator, runtime)
        XCTAssertEqual(gate.settings.deadline, .seconds(60))
        let lines = Locked<[String]>([])
        let watching = RefreshSettingsExample.watch(gate) { line in lines.withLock { $0.append(line) } }
        defer { watching.dispose() }
        server.enqueue(ScriptedResponse(status: .unauthorized), ScriptedResponse())
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [server.url])
        _ = try await client.get(server.url).validate().value
        XCTAssertEqual(lines.withLock { $0 }, ["rejected, refreshed: 1 requests waited"])
    }
}
