import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs the example of the page about authentication.
final class AuthenticationExampleTests: ResourceTestCase {
    func testTheExampleLogsInRefreshesAndLogsOut() async throws {
        let runtime = try FreshetRuntime()
        let folder = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        let server = try TokenServer(on: runtime.loop, rules: .init(expiry: .afterUses([0]))) { _ in .json(#"["a"]"#) }
        let tokens = server.signIn()
        let shown = Locked<[String]>([])
        let items = try await AuthenticationExample.items(
            of: server.url, tokenURL: server.tokenURL, revocationURL: server.revokeURL, access: tokens.accessToken,
            refresh: tokens.refreshToken ?? "",
            storedAt: folder + "/tokens.json", runtime: runtime
        ) { line in shown.withLock { $0.append(line) } }
        XCTAssertEqual(items, ["a"])
        XCTAssertEqual(server.counts.refreshes, 1)
        XCTAssertEqual(shown.withLock { $0 }, ["please log in: loggedOut"])
        server.close()
        runtime.shutdown()
        try FileManager.default.removeItem(atPath: folder)
    }

    func testAConfiguredTokenIsStoredOnce() async throws {
        let runtime = try FreshetRuntime()
        let gate = runtime.gate(
            store: MemoryStore(), authenticator: ClosureAuthenticator { _ in .error(CancellationError()) })
        try await AuthenticationExample.logIn(configuredWith: "r1", to: gate)
        try await AuthenticationExample.logIn(configuredWith: "r2", to: gate)
        XCTAssertEqual(gate.current?.refreshToken, "r1")
        runtime.shutdown()
    }

    func testTheFirstCredentialComesFromTheResponseToALogin() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        server.enqueue(.json(#"{"access_token":"a1","refresh_token":"r1","expires_in":60}"#))
        let gate = runtime.gate(
            store: MemoryStore(), authenticator: ClosureAuthenticator { _ in .error(CancellationError()) })
        try await AuthenticationExample.logIn(
            "ada", "secret", at: server.url, tokenURL: "\(server.url)/token", to: gate, runtime: runtime)
        XCTAssertEqual(gate.current?.refreshToken, "r1")
        XCTAssertNotNil(gate.current?.expiresAt)
        XCTAssertEqual(server.requests.map(\.path), ["/login"])
        server.close()
        runtime.shutdown()
    }
}
