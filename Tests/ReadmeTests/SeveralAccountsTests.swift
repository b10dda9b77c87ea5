import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Runs the examples of the page about several accounts.
final class SeveralAccountsTests: ResourceTestCase {
    func testEachKeyHasItsOwnCredentialAndRefreshesIt() async throws {
        let runtime = try FreshetRuntime()
        let folder = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        let server = try TokenServer(on: runtime.loop, rules: .init(expiry: .afterUses([0]))) { _ in .json(#"["a"]"#) }
        let (accounts, client) = SeveralAccounts.accounts(
            of: server.url, tokenURL: server.tokenURL, storedIn: folder, runtime: runtime)
        let tokens = server.signIn()
        let credential = Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
        let items = try await SeveralAccounts.items(of: server.url, with: credential, by: accounts, client)
        XCTAssertEqual(items, ["a"])
        XCTAssertEqual(server.counts.refreshes, 1)
        let refresh = try XCTUnwrap(server.requests.first { $0.target == "/token" })
        XCTAssertTrue(refresh.text.contains("&scope=read&"), "the key's scopes are asked for")
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".lock") },
            ["account=anna&scope=read"])

        var stranger = try Request(.get, "\(server.url)/items")
        stranger.tags[CredentialKey.self] = CredentialKey(account: "anna")
        do {
            _ = try await client.send(stranger).value
            XCTFail("another key was served")
        } catch {
            XCTAssertEqual((error as? HTTPClientError)?.code, .loginRequired)
        }
        server.close()
        runtime.shutdown()
        try FileManager.default.removeItem(atPath: folder)
    }

    func testACustomAuthenticatorAndTwoRealmsWork() async throws {
        let runtime = try FreshetRuntime()
        let server = try ScriptedServer(on: runtime.loop)
        server.route(.post, "/reissue") { request in ScriptedResponse(body: "\(request.text)+") }
        server.route { request in
            let realm = request.target.hasPrefix("/admin/") ? "admin" : "shop"
            return request.headers[.authorization] == "Bearer \(realm)+"
                ? ScriptedResponse(body: realm)
                : ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer realm=\(realm)"])
        }
        func authentication(_ name: String) throws -> AuthenticationInterceptor {
            let authenticator = SeveralAccounts.Reissue(url: "\(server.url)/reissue", client: runtime.refreshClient)
            let store = MemoryStore(Credential(accessToken: "old", refreshToken: name))
            return AuthenticationInterceptor(
                gate: runtime.gate(store: store, authenticator: authenticator), authenticator: authenticator,
                origins: [try Origin(server.url)])
        }
        let client = SeveralAccounts.client(
            shop: try authentication("shop"), admin: try authentication("admin"), runtime: runtime)
        for (path, realm) in [("/shop/1", "shop"), ("/admin/1", "admin"), ("/shop/2", "shop")] {
            let response = try await client.get(server.url + path).value
            XCTAssertEqual(response.text, realm)
        }
        server.close()
        runtime.shutdown()
    }
}
