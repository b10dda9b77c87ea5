import FreshetCore
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

final class TokenServerTests: ScriptedServerTestCase {
    func testATokenIsExchangedOnceAtTheOAuthEndpoint() throws {
        let tokens = try TokenServer(on: loop)
        let first = tokens.signIn()
        let form = "grant_type=refresh_token&refresh_token=\(first.refreshToken ?? "")"
        let response = exchange(tokens, "POST /token", body: form)
        XCTAssertTrue(response.hasPrefix("HTTP/1.1 200 "), response)
        XCTAssertTrue(
            response.hasSuffix(#"{"access_token":"access-2.1","token_type":"Bearer","refresh_token":"refresh-2.1"}"#),
            response)
        let reuse = exchange(tokens, "POST /token", body: form)
        XCTAssertTrue(reuse.hasPrefix("HTTP/1.1 400 "), reuse)
        XCTAssertTrue(reuse.hasSuffix(#"{"error":"invalid_grant"}"#), reuse)
        XCTAssertEqual(tokens.counts.reuses, 1)
        XCTAssertTrue(exchange(tokens, "POST /token", body: "grant_type=client_credentials").contains("access-3.2"))
        XCTAssertTrue(exchange(tokens, "POST /token", body: "grant_type=x").contains("unsupported_grant_type"))
        tokens.close()
    }

    func testTheJSONEndpointReadsAndWritesJSONWithALifetime() throws {
        var rules = TokenServer.Rules()
        rules.expiry = .after(.seconds(90))
        let tokens = try TokenServer(on: loop, rules: rules)
        let first = tokens.signIn()
        let response = exchange(
            tokens, "POST /reissue", body: "{\"other\": 1, \"refreshToken\": \"\(first.refreshToken ?? "")\"}")
        XCTAssertTrue(
            response.hasSuffix(#"{"accessToken":"access-2.1","refreshToken":"refresh-2.1","expiresIn":90}"#), response)
        tokens.close()
    }

    func testAnExpiredTokenReceivesTheConfiguredExpiryResponse() throws {
        for (sign, status, text) in [
            (ExpiryResponse.unauthorized, 401, "WWW-Authenticate: Bearer error=\"invalid_token\""),
            (.status(419), 419, "token expired"),
            (.errorCode("E05", status: .init(code: 500)), 500, #"{"errorCode":"E05"}"#),
        ] {
            var rules = TokenServer.Rules()
            rules.expiry = .everyUses(1)
            rules.expiryResponse = sign
            let tokens = try TokenServer(on: loop, rules: rules)
            let first = tokens.signIn()
            let responses = (0..<2).map { _ in exchange(tokens, "GET /things", token: first.accessToken) }
            XCTAssertTrue(responses[0].hasSuffix(#"{"path":"/things"}"#), responses[0])
            XCTAssertTrue(responses[1].hasPrefix("HTTP/1.1 \(status) "), responses[1])
            XCTAssertTrue(responses[1].contains(text), responses[1])
            XCTAssertTrue(exchange(tokens, "GET /things").hasPrefix("HTTP/1.1 \(status) "))
            tokens.close()
        }
    }

    func testRefreshesCanBeScriptedToFail() throws {
        let tokens = try TokenServer(on: loop)
        let first = tokens.signIn()
        tokens.scriptRefreshes(with: ScriptedResponse(status: .serviceUnavailable))
        let form = "grant_type=refresh_token&refresh_token=\(first.refreshToken ?? "")"
        XCTAssertTrue(exchange(tokens, "POST /token", body: form).hasPrefix("HTTP/1.1 503 "))
        XCTAssertTrue(exchange(tokens, "POST /token", body: form).hasPrefix("HTTP/1.1 200 "))
        tokens.revokeSessions()
        XCTAssertTrue(exchange(tokens, "GET /", token: "access-2.1").hasPrefix("HTTP/1.1 401 "))
        tokens.close()
    }

    func testAnEventStreamIsNumberedAndEndsWithItsToken() throws {
        var rules = TokenServer.Rules()
        rules.expiry = .afterUses([1])
        rules.eventInterval = .milliseconds(1)
        let tokens = try TokenServer(on: loop, rules: rules)
        let first = tokens.signIn()
        let client = PlainClient(port: tokens.server.port)
        client.send(
            "GET /events HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(first.accessToken)\r\nLast-Event-ID: 41\r\n\r\n"
        )
        let head = client.read(upTo: "\r\n\r\n")
        XCTAssertTrue(head.contains("Content-Type: text/event-stream\r\n"), head)
        let events = client.read(upTo: "id: 44\n")
        XCTAssertTrue(events.contains("id: 42\ndata: {\"number\":42}\n\n"), events)
        _ = exchange(tokens, "GET /", token: first.accessToken)
        _ = exchange(tokens, "GET /", token: first.accessToken)
        XCTAssertTrue(client.read(upTo: "\r\n0\r\n\r\n").hasSuffix("\r\n0\r\n\r\n"))
        XCTAssertEqual(tokens.counts.streams, 1)
        XCTAssertEqual(tokens.counts.expiries, 1)
        tokens.close()
    }

    func testTheLargestEventNumberIsFollowedByItself() throws {
        let tokens = try TokenServer(on: loop)
        let client = PlainClient(port: tokens.server.port)
        client.send(
            "GET /events HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(tokens.signIn().accessToken)\r\n"
                + "Last-Event-ID: \(Int.max)\r\n\r\n")
        for _ in 0..<2 { XCTAssertTrue(client.read(upTo: "id: \(Int.max)\n").hasSuffix("id: \(Int.max)\n")) }
        tokens.close()
    }

    func testARefusedStreamCountsItsExpiry() throws {
        let tokens = try TokenServer(on: loop)
        let token = tokens.signIn().accessToken
        tokens.revokeSessions()
        XCTAssertTrue(exchange(tokens, "GET /events", token: token).hasPrefix("HTTP/1.1 401 "))
        XCTAssertTrue(exchange(tokens, "GET /events").hasPrefix("HTTP/1.1 401 "))
        XCTAssertEqual(tokens.counts.rejected, 2)
        XCTAssertEqual(tokens.counts.expiries, 1)
        tokens.close()
    }

    func testTheServerRunsOnWithoutAReferenceToTheTokens() throws {
        let port = try TokenServer(on: loop).server.port
        let client = PlainClient(port: port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 401 "))
    }

    private func exchange(_ tokens: TokenServer, _ line: String, token: String? = nil, body: String = "") -> String {
        let client = PlainClient(port: tokens.server.port)
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        client.send(
            "\(line) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(authorization)Content-Length: \(body.utf8.count)\r\n\r\n"
                + body)
        return client.readToEnd().text
    }
}
