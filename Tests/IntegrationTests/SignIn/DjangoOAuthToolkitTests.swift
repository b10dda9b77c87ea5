import Foundation
import XCTest

/// Tests logins at Django OAuth Toolkit, on the pages that it shows to users.
final class DjangoOAuthToolkitTests: RealServerTestCase {
    private static let started = Result { try PythonServer("django_server.py") }
    private var server: PythonServer!
    private var resource: String { "\(server.url)/a" }

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try Self.started.get()
        try profile(client: "browser")
    }

    private func profile(client: String, more: String = "") throws {
        // The server's metadata has no endpoint for devices.
        try profile(
            server, refresh: "\"client_id\": \"\(client)\"\(more)",
            login: """
                "issuer": "\(server.url)", "device_url": "\(server.url)/o/device-authorization/", "scope": "read"
                """)
    }

    private func logIn() throws {
        let result = try logInByBrowser()
        XCTAssertEqual(result.status, 0, result.errorOutput)
    }

    /// The server checks the verifier, the redirect URI with another port than the registered one, and sends its `iss`.
    func testALoginByBrowserPassesTheSignInAndTheConsentOfTheServer() throws {
        let result = try logInByBrowser()
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.last?["scope"] as? String, "read")
        let response = try get(resource)
        XCTAssertEqual(response.text, #"{"user": "alice"}"#, response.errorOutput)
    }

    func testAUserWhoCancelsOnTheConsentPageEndsTheLogin() throws {
        try profile(
            server, refresh: #""client_id": "browser", "url": "\#(server.url)/o/token/""#,
            login: #""authorization_url": "\#(server.url)/o/authorize/""#)
        let result = try logInByBrowser(deciding: "deny")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("freshet: access_denied: "), result.errorOutput)
        XCTAssertEqual(tokens(), [])
    }

    /// The server's metadata promises an `iss` on every callback, but its callbacks with an error have none.
    func testARefusalWithoutTheAnnouncedIssuerIsNotTrusted() throws {
        let result = try logInByBrowser(deciding: "deny")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("freshet: issuer_mismatch: "), result.errorOutput)
        XCTAssertEqual(tokens(), [])
    }

    /// The server responds with 400 `authorization_pending` until the user has typed the code on its page.
    func testALoginByDeviceEndsWhenTheUserHasEnteredTheCode() throws {
        try profile(client: "device")
        let result = try logInByDevice { event in
            let page = try XCTUnwrap(event["verification_uri"] as? String)
            let code = try XCTUnwrap(event["user_code"] as? String)
            try PythonServer.visit(page, deciding: "accept", userCode: code)
        }
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try get(resource).status, 0)
        try server.fetch("/control/expire")
        XCTAssertEqual(try get(resource).status, 0, "a public client refreshes without a secret")
    }

    func testAUserWhoDeniesTheDeviceEndsTheLogin() throws {
        try profile(client: "device")
        let result = try logInByDevice { event in
            let page = try XCTUnwrap(event["verification_uri"] as? String)
            let code = try XCTUnwrap(event["user_code"] as? String)
            try PythonServer.visit(page, deciding: "deny", userCode: code)
        }
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("freshet: access_denied: "), result.errorOutput)
        XCTAssertEqual(tokens(), [])
    }

    /// The server responds to an expired token with its own challenge, and replaces both tokens.
    func testAnExpiredTokenIsRefreshedAndBothTokensRotate() throws {
        try logIn()
        let before = tokens()
        try server.fetch("/control/expire")
        let response = try get(resource)
        XCTAssertEqual(response.status, 0, response.errorOutput)
        let after = tokens()
        XCTAssertEqual(after.count, 2)
        XCTAssertTrue(Set(before).isDisjoint(with: after))
        XCTAssertEqual(try stored()["scope"] as? String, "read")
    }

    /// The server takes a second use of a refresh token for a theft and revokes all its successors. One refresh too many by
    /// these processes ends the session for all of them.
    func testProcessesThatShareAStoreRefreshOnceAtAServerThatAllowsNoReuse() throws {
        try logIn()
        for _ in 1...2 {
            // All processes receive their 401 before the first refresh has its response.
            try server.fetch("/control/expire?slow=0.5")
            let runs = try (1...4).map { _ in
                try FreshetProcess(["get", resource, "--config", config, "--profile", "p"])
            }
            for result in runs.map({ $0.result() }) { XCTAssertEqual(result.status, 0, result.errorOutput) }
        }
        try server.fetch("/control/expire")
    }

    func testAReusedRefreshTokenEndsTheSessionOfBothProcesses() throws {
        try logIn()
        let stolen = try Data(contentsOf: URL(fileURLWithPath: store))
        try server.fetch("/control/expire")
        XCTAssertEqual(try get(resource).status, 0)
        let rotated = try Data(contentsOf: URL(fileURLWithPath: store))
        try stolen.write(to: URL(fileURLWithPath: store))
        try assertLoginIsRequired(resource)
        try rotated.write(to: URL(fileURLWithPath: store))
        try server.fetch("/control/expire")
        try assertLoginIsRequired(resource)
        // A login starts a new session.
        try logIn()
        XCTAssertEqual(try get(resource).status, 0)
    }

    func testALogoutRevokesBothTokensAtTheServer() throws {
        try logIn()
        let record = try Data(contentsOf: URL(fileURLWithPath: store))
        let result = try command("logout")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(tokens(), [])
        // The stored tokens are worthless now: the server refuses the access token, and then the refresh token.
        try record.write(to: URL(fileURLWithPath: store))
        try assertLoginIsRequired(resource)
    }

    /// The server decodes the form encoding within HTTP Basic. Without that encoding `+`, `%41`, `:` and a space would all
    /// differ.
    func testASecretWithEncodedCharactersAuthenticatesByBasic() throws {
        try profile(client: "secret", more: #", "client_secret": "a+b%41c:d e/=", "client_auth": "basic""#)
        try logIn()
        try server.fetch("/control/expire")
        XCTAssertEqual(try get(resource).status, 0)
        let result = try command("logout")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.errorOutput, "")
    }

    /// The challenge of the server names only the error, and a refresh would return the same scope.
    func testADemandForAnotherScopeRequiresALoginAndCausesNoRefresh() throws {
        try logIn()
        let before = tokens()
        let refused = try get("\(server.url)/changes")
        XCTAssertEqual(refused.status, 22)
        XCTAssertTrue(refused.errorOutput.contains("freshet: step_up_required: "), refused.errorOutput)
        XCTAssertEqual(tokens(), before)
        let result = try logInByBrowser("--step-up", "--scope", "write")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(Set((try stored()["scope"] as? String ?? "").split(separator: " ")), ["read", "write"])
        XCTAssertEqual(try get("\(server.url)/changes").status, 0)
    }
}
