import Foundation
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests how a profile's client authenticates at the token endpoint, and which further fields it sends there.
final class ClientProofTests: ProfileTestCase {
    private func refresh(_ members: String, _ server: TokenServer) throws -> FreshetResult {
        let (config, _) = try loggedIn(
            server, refresh: "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"c\"\(members)}")
        server.expireTokens()
        return try freshet("get", "\(server.url)/a", "--config", config, "--profile", "p")
    }

    func testEveryParameterOfTheProfileIsSentWithTheRefresh() throws {
        let server = try tokenServer()
        let result = try refresh(
            """
            , "scope": "a b", "audience": "x", "resource": ["https://r/1", "https://r/2"],
            "parameters": {"tenant": "t", "n": 7}, "headers": {"X-Key": "k"}
            """, server)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let request = try XCTUnwrap(server.requests.first { $0.path == "/token" })
        for field in [
            "scope=a+b", "audience=x", "resource=https%3A%2F%2Fr%2F1", "resource=https%3A%2F%2Fr%2F2", "tenant=t",
            "n=7",
            "client_id=c",
        ] {
            XCTAssertTrue(request.text.split(separator: "&").contains(Substring(field)), "\(field): \(request.text)")
        }
        XCTAssertEqual(request.headers[.init("X-Key")!], "k")
        XCTAssertNil(request.headers[.authorization])
    }

    func testARefusedClientKeepsItsTokensAndTheErrorNamesTheMethods() throws {
        let server = try tokenServer()
        let refused = ScriptedResponse.json(#"{"error": "invalid_client"}"#, status: .unauthorized)
        server.scriptRefreshes(with: refused, refused)
        let result = try refresh(#", "client_secret": "s3cret""#, server)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
        for part in ["invalid_client", "Basic", "client_auth"] {
            XCTAssertTrue(result.errorOutput.contains(part), result.errorOutput)
        }
        XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
    }

    /// The assertion names the issuer. A valid token needs no assertion, and so no server that knows the issuer.
    func testAClientThatSignsForADiscoveredIssuerDiscoversItWhenARefreshNeedsIt() throws {
        let server = try tokenServer()
        let key = try temporaryFile(SigningKey.generateP256().pem, named: "key.pem")
        let (config, _) = try loggedIn(
            server, extra: ", \"login\": {\"discover\": \"\(server.url)/gone\"}",
            refresh: """
                {"url": "\(server.tokenURL)", "client_id": "c", "client_auth": {"private_key_jwt": {"key_file": "\(key)"}}}
                """)
        let words = ["get", "\(server.url)/a", "--config", config, "--profile", "p"]
        let count = server.requests.count
        let result = try freshet(words)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests.dropFirst(count).map(\.path), ["/a"])
        server.expireTokens()
        let late = try freshet(words)
        XCTAssertTrue(late.errorOutput.contains("discovery: "), late.errorOutput)
        XCTAssertFalse(server.requests.map(\.path).contains("/token"))
    }
}
