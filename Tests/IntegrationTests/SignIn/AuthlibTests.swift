import Foundation
import XCTest

/// Tests logins at issuers by Authlib. Each issuer accepts one kind of client authentication only.
final class AuthlibTests: RealServerTestCase {
    private static let started = Result { try PythonServer("authlib_server.py") }
    private var server: PythonServer!
    private var resource: String { "\(server.url)/a" }

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try Self.started.get()
    }

    /// A request as the issuer has received it.
    private struct Seen: Decodable, Equatable {
        var endpoint: String
        var status: Int
        var grant: String?
        var basic: Bool
        var secretInForm: Bool
        var assertion: String?
        var header: Header?
        var claims: Claims?

        struct Header: Decodable, Equatable {
            var alg: String
            var typ: String
        }

        struct Claims: Decodable, Equatable {
            var iss: String
            var sub: String
            var aud: String
            var jti: String
            var iat: Double
            var exp: Double
        }
    }

    private func seen(by issuer: String, after count: Int = 0) throws -> [Seen] {
        let data = try JSONSerialization.data(withJSONObject: server.fetch("/control/\(issuer)/requests"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return Array(try decoder.decode([Seen].self, from: data).dropFirst(count))
    }

    private func profile(_ issuer: String, client: String, _ proof: String) throws {
        try profile(
            server, refresh: "\"client_id\": \"\(client)\", \(proof)",
            login: "\"issuer\": \"\(server.url)/\(issuer)\", \"scope\": \"a\"")
    }

    private func signing(_ issuer: String, client: String, audience: String? = nil) throws {
        let audience = audience.map { ", \"audience\": \"\($0)\"" } ?? ""
        let file = server.directory.appendingPathComponent("\(client).pem").path
        try profile(
            issuer, client: client, "\"client_auth\": {\"private_key_jwt\": {\"key_file\": \"\(file)\"\(audience)}}")
    }

    /// Logs in, uses the credential, refreshes it, and logs out.
    ///
    /// - Returns: the requests that the issuer has received meanwhile.
    private func lifeOfASession(_ issuer: String, line: UInt = #line) throws -> [Seen] {
        let before = try seen(by: issuer).count
        let login = try logInByBrowser()
        XCTAssertEqual(login.status, 0, login.errorOutput, line: line)
        let tokens = tokens()
        try server.fetch("/control/\(issuer)/expire")
        let response = try get(resource)
        XCTAssertEqual(response.status, 0, response.errorOutput, line: line)
        XCTAssertTrue(Set(tokens).isDisjoint(with: self.tokens()), line: line)
        let record = try Data(contentsOf: URL(fileURLWithPath: store))
        let logout = try command("logout")
        XCTAssertEqual(logout.status, 0, logout.errorOutput, line: line)
        XCTAssertEqual(logout.errorOutput, "", line: line)
        let all = try seen(by: issuer, after: before)
        XCTAssertEqual(all.filter { $0.status != 200 }, [], line: line)
        XCTAssertEqual(all.compactMap(\.grant), ["authorization_code", "refresh_token"], line: line)
        XCTAssertEqual(all.last?.endpoint, "revoke", line: line)
        try record.write(to: URL(fileURLWithPath: store))
        try assertLoginIsRequired(resource)
        return all
    }

    /// Authlib splits at the first `:` and decodes `%`. It leaves a `+` unchanged.
    func testSecretsAndIdentifiersWithSpecialCharactersAuthenticateByBasicOnly() throws {
        for (client, secret, proof) in [
            ("signs", "a+b%41c:d/e=", ""), ("c:l%i+d", "s:%2B", #", "client_auth": "basic""#),
        ] {
            try profile("basic", client: client, "\"client_secret\": \"\(secret)\"\(proof)")
            let all = try lifeOfASession("basic")
            XCTAssertEqual(all.filter { !$0.basic || $0.secretInForm }, [])
        }
    }

    /// RFC 6749 (appendix B) encodes a space as `+`. Authlib does not decode it, so that such a secret needs the raw form of
    /// Basic.
    func testASecretWithSpacesRequiresRawBasic() throws {
        try profile("basic", client: "spaces", #""client_secret": "a b c", "client_auth": "basic""#)
        let refused = try logInByBrowser()
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errorOutput.contains("invalid_client"), refused.errorOutput)
        try profile("basic", client: "spaces", #""client_secret": "a b c", "client_auth": "basic_raw""#)
        _ = try lifeOfASession("basic")
    }

    /// Authlib verifies the signature, `iss`, `sub`, `aud` and `exp`, and accepts no `jti` twice.
    func testAssertionsOfBothAlgorithmsAuthenticateTheClientAtTheIssuer() throws {
        for (client, algorithm) in [("rs", "RS256"), ("es", "ES256")] {
            try signing("issuer", client: client)
            let all = try lifeOfASession("issuer")
            XCTAssertEqual(Set(all.compactMap(\.claims?.jti)).count, all.count, "a new one for each request")
            for request in all {
                XCTAssertEqual(request.header, .init(alg: algorithm, typ: "client-authentication+jwt"))
                let claims = try XCTUnwrap(request.claims)
                XCTAssertEqual([claims.iss, claims.sub, claims.aud], [client, client, "\(server.url)/issuer"])
                XCTAssertLessThanOrEqual(claims.exp - claims.iat, 60)
                XCTAssertFalse(request.basic || request.secretInForm)
            }
            try assertIsTakenOnce(XCTUnwrap(all.last?.assertion))
        }
    }

    /// Asserts that the server accepts an assertion only once, which shows that it checks `jti`.
    private func assertIsTakenOnce(_ assertion: String) throws {
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        let form = "token=x&client_assertion_type=\(type)&client_assertion=\(assertion)"
        let port = try XCTUnwrap(URL(string: server.url)?.port)
        let client = PlainClient(port: port)
        client.send(
            """
            POST /issuer/revoke HTTP/1.0\r\nContent-Type: application/x-www-form-urlencoded\r
            Content-Length: \(form.utf8.count)\r\n\r\n\(form)
            """)
        let response = client.readToEnd().text
        XCTAssertTrue(response.contains("invalid_client"), response)
        XCTAssertTrue(response.contains("JWT ID is used before"), response)
    }

    func testAnIssuerThatAcceptsOnlyItsTokenEndpointAsAudienceWorksWithASetting() throws {
        try signing("endpoint", client: "es")
        let refused = try logInByBrowser()
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errorOutput.contains("invalid_client"), refused.errorOutput)
        try signing("endpoint", client: "es", audience: "\(server.url)/endpoint/token")
        let all = try lifeOfASession("endpoint")
        XCTAssertEqual(Set(all.compactMap(\.claims?.aud)), ["\(server.url)/endpoint/token"])
    }

    /// The revocation endpoint also accepts the token endpoint as audience, and does not accept itself.
    func testWithoutAnIssuerTheTokenEndpointIsTheAudienceOfAllRequests() throws {
        let issuer = "\(server.url)/endpoint"
        let file = server.directory.appendingPathComponent("es.pem").path
        try profile(
            server,
            refresh: """
                "client_id": "es", "url": "\(issuer)/token", "revoke_url": "\(issuer)/revoke",
                "client_auth": {"private_key_jwt": {"key_file": "\(file)"}}
                """, login: "\"authorization_url\": \"\(issuer)/authorize\"")
        let all = try lifeOfASession("endpoint")
        XCTAssertEqual(Set(all.compactMap(\.claims?.aud)), ["\(issuer)/token"])
    }

    /// Each poll has an assertion of its own. Otherwise the server would refuse the second poll.
    func testEachPollOfADeviceLoginHasItsOwnAssertion() throws {
        try signing("issuer", client: "es")
        let before = try seen(by: "issuer").count
        let result = try logInByDevice { event in
            // At the first poll the login is not yet approved.
            waitUntil("the server has been polled") {
                ((try? seen(by: "issuer", after: before).contains { $0.status == 400 }) ?? false)
            }
            try server.fetch("/control/issuer/approve?user_code=\(try XCTUnwrap(event["user_code"] as? String))")
        }
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let all = try seen(by: "issuer", after: before)
        // A slow machine polls more than once before the approval arrives, and each time the server has to accept the assertion.
        let pending = Array(repeating: "token 400", count: max(1, all.count - 2))
        XCTAssertEqual(all.map { "\($0.endpoint) \($0.status)" }, ["device 200"] + pending + ["token 200"])
        XCTAssertEqual(Set(all.compactMap(\.claims?.jti)).count, all.count)
        XCTAssertEqual(try get(resource).status, 0)
    }
}
