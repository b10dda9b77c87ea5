import FreshetHTTPTesting
import XCTest

/// Tests tokens over plain http to this machine, and to another machine if the profile allows it.
final class CleartextHTTPTests: ProfileTestCase {
    /// An address that does not look like loopback, and that leads to this machine on Linux.
    private func elsewhere(_ url: String) -> String {
        url.replacingOccurrences(of: "127.0.0.1", with: "0.0.0.0")
    }

    private func loggedIn(_ server: TokenServer, origin: String, token: String, extra: String = "") throws -> String {
        let store = try temporaryDirectory().appendingPathComponent("store.json").path
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(origin)"], "store": "file:\(store)",
              "refresh": {"url": "\(token)", "client_id": "c"}\(extra)}}}
            """, named: "config.json")
        try logIn(to: server, config)
        return config
    }

    func testARemotePlainHTTPOriginReceivesNoCredentialUnlessTheProfileAllowsIt() throws {
        let server = try tokenServer()
        let origin = elsewhere(server.url)
        let config = try loggedIn(server, origin: origin, token: server.tokenURL)
        let result = try freshet("get", origin, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("freshet: invalid_request: "), result.errorOutput)
        XCTAssertTrue(
            result.errorOutput.contains(
                "use https, or allow plain http there with \"allow_http\": true in the profile"),
            result.errorOutput)
        XCTAssertTrue(server.requests.isEmpty)
        let allowed = try loggedIn(server, origin: origin, token: server.tokenURL, extra: ", \"allow_http\": true")
        let response = try freshet("get", origin, "--config", allowed, "--profile", "p")
        XCTAssertEqual(response.status, 0, response.errorOutput)
        XCTAssertEqual(response.errorOutput, "")
    }

    func testARemotePlainHTTPRefreshRequiresPermissionToo() throws {
        let server = try tokenServer()
        let config = try loggedIn(server, origin: server.url, token: elsewhere(server.tokenURL))
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("allow_http"), result.errorOutput)
        let allowed = try loggedIn(
            server, origin: server.url, token: elsewhere(server.tokenURL), extra: ", \"allow_http\": true")
        server.expireTokens()
        XCTAssertEqual(try freshet("get", server.url, "--config", allowed, "--profile", "p").status, 0)
    }

    func testALoginPageOverPlainHTTPOnAnotherMachineIsNotOpened() throws {
        let store = try temporaryDirectory().appendingPathComponent("store.json").path
        for (authorization, token) in [
            ("http://login.test/a", "https://login.test/t"), ("https://h/a", "http://login.test/t"),
        ] {
            let config = try temporaryFile(
                """
                {"profiles": {"p": {"origins": ["https://h"], "store": "file:\(store)",
                  "refresh": {"url": "\(token)", "client_id": "c"},
                  "login": {"flow": "paste", "authorization_url": "\(authorization)"}}}}
                """, named: "config.json")
            let result = try freshet("login", "--config", config, "--profile", "p")
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("\"allow_http\": true"), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("/a?"), result.errorOutput)
        }
    }

    func testAllowHTTPMustBeABoolean() throws {
        let config = try temporaryFile(
            #"{"profiles": {"p": {"origins": ["https://h"], "store": "memory:", "allow_http": "yes"}}}"#)
        let result = try freshet("status", "--config", config, "--profile", "p")
        XCTAssertTrue(
            result.errorOutput.contains("profiles.p.allow_http is neither true nor false"), result.errorOutput)
    }
}
