import Foundation
import FreshetCore
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that `--timeout` bounds a login at a server that accepts connections and does not respond.
final class LoginTimeoutTests: SignInTestCase {
    /// Each of these requests would otherwise take a minute.
    ///
    /// - Parameters:
    ///   - config: a configuration in place of that of the issuer.
    ///   - seconds: long enough for the steps before the request that gets no response.
    private func checkEnd(
        _ words: [String], config: String? = nil, after seconds: String = "0.5", saying text: String,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let start = ContinuousClock.now
        let result = try freshet(
            ["login", "--config", config ?? self.config(), "--profile", "p", "--timeout", seconds] + words,
            environment: try browser("curl -s -L -o /dev/null \"$1\""))
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(30), file: file, line: line)
        XCTAssertEqual(result.status, 1, file: file, line: line)
        let error = result.errorOutput.split(separator: "\n").last.map(String.init) ?? ""
        XCTAssertTrue(error.hasPrefix("freshet: timeout: "), error, file: file, line: line)
        for part in [text, "--timeout SECONDS (waiting for the response, ", url] {
            XCTAssertTrue(error.contains(part), error, file: file, line: line)
        }
    }

    /// A configuration whose login has one member, which is a path of the server, beside the path of the token endpoint.
    private func config(login member: String, _ path: String, token: String) throws -> String {
        try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(url)"], "store": "file:\(store)", "login": {"\(member)": "\(url)\(path)"},
             "refresh": {"url": "\(url)\(token)", "client_id": "cli"}}}}
            """, named: "config.json")
    }

    func testALoginEndsInTimeWhenTheIssuerDoesNotRespond() throws {
        metadataFault.withLock { $0 = .silence }
        for flow in ["--device", "--browser", "--paste"] {
            try checkEnd(
                [flow], saying: "the metadata of the authorization server has not come within 0.5 seconds")
        }
    }

    /// If the first request fails, which learns where the metadata is, it is looked for at its standard addresses.
    func testALoginEndsInTimeWhenTheResourceDoesNotRespond() throws {
        server.route(.get, "/api") { _ in .silence }
        server.route(.get, "/.well-known/oauth-protected-resource/api") { _ in .silence }
        try checkEnd(
            ["--device", "--discover", "\(url)/api"],
            saying: "the metadata of the resource has not come within 0.5 seconds")
    }

    func testALoginEndsInTimeWhenTheDeviceEndpointDoesNotRespond() throws {
        server.route(.post, "/silent") { _ in .silence }
        let config = try config(login: "device_url", "/silent", token: "/token")
        try checkEnd(["--device"], config: config, after: "4", saying: "POST \(url)/silent")
    }

    func testALoginEndsInTimeWhenTheTokenEndpointDoesNotRespondToACode() throws {
        server.route(.post, "/silent") { _ in .silence }
        let config = try config(login: "issuer", "", token: "/silent")
        try checkEnd(["--browser"], config: config, after: "8", saying: "POST \(url)/silent")
    }

    /// A login uses old metadata if new ones can't be had, but not after its time is up.
    func testALoginWithOldMetadataEndsInTimeWhenTheIssuerDoesNotRespond() throws {
        metadataFault.withLock { $0 = .silence }
        let old = """
            {"\(url)": {"time": 1, "metadata": {"issuer": "\(url)", "authorization_endpoint": "\(url)/authorize",
             "token_endpoint": "\(url)/token", "device_authorization_endpoint": "\(url)/device"}}}
            """
        try Data(old.utf8).write(to: URL(fileURLWithPath: store + ".discovery"))
        try checkEnd(
            ["--device"],
            saying: "the metadata of the authorization server has not come within 0.5 seconds")
        XCTAssertFalse(server.requests.contains { $0.path == "/device" })
    }
}
