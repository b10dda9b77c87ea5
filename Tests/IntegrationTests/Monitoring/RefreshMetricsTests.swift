import Freshet
import FreshetCore
import FreshetHTTPTesting
import RecordingBackends
import XCTest

@testable import FreshetAuth

final class RefreshMetricsTests: ResourceTestCase {
    func testTheGateOfARuntimeReportsRefreshesAndRevocationsWithCauseAndOutcomeOnly() async throws {
        let backend = RecordingMetrics()
        var configuration = FreshetRuntime.Configuration()
        configuration.refreshMetrics = RefreshMetrics(factory: backend)
        let runtime = try FreshetRuntime(configuration: configuration)
        let server = try TokenServer(on: runtime.loop)
        let tokens = server.signIn()
        let store = MemoryStore(Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken))
        let authenticator = try OAuthAuthenticator(
            tokenURL: try RequestURL(server.tokenURL), revocationURL: try RequestURL(server.revokeURL),
            client: runtime.refreshClient)
        let gate = runtime.gate(store: store, authenticator: authenticator)
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [server.url])
        // These observers subscribe after the metrics.
        let reported = ReplaySubject<RefreshEvent>.create(bufferSize: 2)
        let revoked = ReplaySubject<RevocationEvent>.create(bufferSize: 1)
        let watching = CompositeDisposable(gate.refreshes.subscribe(reported), gate.revocations.subscribe(revoked))
        defer { watching.dispose() }

        server.expireTokens()
        _ = try await client.get("\(server.url)/a").value
        server.revokeSessions()
        _ = try? await client.get("\(server.url)/a").value
        let refreshes = try await reported.take(2).toArray().value
        let again = server.signIn()
        _ = try await gate.login(Credential(accessToken: again.accessToken, refreshToken: again.refreshToken)).value
        try await gate.logout().value
        _ = try await revoked.take(1).toArray().value

        let first = "{cause=rejected,outcome=refreshed}"
        let second = "{cause=rejected,outcome=refused}"
        let third = "{cause=logout,outcome=revoked}"
        let refreshNames = ["freshet_refreshes", "freshet_refresh_duration", "freshet_refresh_waiters"]
        let revocationNames = ["freshet_revocations", "freshet_revocation_duration"]
        XCTAssertEqual(
            Set(backend.values.keys),
            Set(refreshNames.flatMap { [$0 + first, $0 + second] } + revocationNames.map { $0 + third }))
        XCTAssertEqual(backend.values["freshet_revocations" + third], [1])
        XCTAssertEqual(backend.values["freshet_refreshes" + first], [1])
        XCTAssertEqual(backend.values["freshet_refreshes" + second], [1])
        XCTAssertEqual(backend.values["freshet_refresh_waiters" + first], [Double(refreshes[0].waiters)])
        XCTAssertEqual(
            backend.values["freshet_refresh_duration" + first],
            [(refreshes[0].duration / .nanoseconds(1)).rounded(.down)])
        server.close()
        runtime.shutdown()
    }

    func testADurationThatIsTooLongForTheBackendIsCapped() {
        let backend = RecordingMetrics()
        RefreshMetrics(factory: backend).record(
            RefreshEvent(cause: .missing, outcome: .storm, generation: 0, waiters: 0, duration: .seconds(1 << 62)))
        XCTAssertEqual(
            backend.values["freshet_refresh_duration{cause=missing,outcome=storm}"], [Double(Int64.max / 2)])
    }
}
