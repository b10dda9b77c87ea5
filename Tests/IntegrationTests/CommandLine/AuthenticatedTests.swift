import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import Synchronization
import XCTest

/// Tests the verbs with a profile, against a server whose tokens expire.
final class AuthenticatedTests: ProfileTestCase {
    func testAnExpiredTokenIsRefreshedStoredAndTheRequestReplayed() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        let result = try freshet("get", "-v", "\(server.url)/a", "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.text, #"{"path":"/a"}"#)
        XCTAssertEqual(server.counts.refreshes, 1)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "access-2.1")
        XCTAssertEqual(try stored(store)["version"] as? Int, 2)
        for line in [
            "* responded with 401", "* refresh, credential rejected: refreshed after ",
            "* attempt 2, a replay with a new credential: \(server.url)\n",
        ] {
            XCTAssertTrue(result.errorOutput.contains(line), result.errorOutput)
        }
        XCTAssertEqual(result.errorOutput.ranges(of: "replay").count, 1)
        XCTAssertFalse(result.errorOutput.contains("access-"), result.errorOutput)
        XCTAssertFalse(result.errorOutput.contains("refresh-"), result.errorOutput)
    }

    func testTheTraceReportsARequestWithoutACredential() throws {
        let tokens = try tokenServer()
        let (config, _) = try loggedIn(tokens)
        server.route { _ in ScriptedResponse() }
        let words = ["get", "-v", "--config", config, "--profile", "p"]
        let line = "* no credential of the profile p: its origins do not contain \(server.url)\n"
        let other = try freshet(words + [server.url])
        XCTAssertTrue(other.errorOutput.contains(line), other.errorOutput)
        XCTAssertFalse(try freshet(words + ["\(tokens.url)/a"]).errorOutput.contains("no credential"))
    }

    func testWithoutATraceA401FromAnotherOriginCausesANote() throws {
        let (config, _) = try loggedIn(try tokenServer())
        let other = try tokenServer()
        for (verb, status) in [("get", 22 as Int32), ("events", 1)] {
            let result = try freshet(verb, other.url, "--config", config, "--profile", "p")
            XCTAssertEqual(result.status, status)
            XCTAssertTrue(
                result.errorOutput.contains(
                    "note: no credential of the profile p: its origins do not contain \(other.url)"),
                result.errorOutput)
        }
    }

    func testALineWithA401FromAnotherOriginCausesOneNotePerOrigin() throws {
        let tokens = try tokenServer()
        let (config, _) = try loggedIn(tokens)
        let other = try tokenServer()
        let input = [other.url, tokens.url, other.url].map { "{\"url\": \"\($0)\"}\n" }.joined()
        let result = try freshet("run", "--config", config, "--profile", "p", input: input)
        XCTAssertEqual(
            result.errorOutput,
            "freshet: note: no credential of the profile p: its origins do not contain \(other.url)\n")
    }

    // The body can't be sent again, but the next run of the command has to find a credential that works.
    func testABodyFromAPipeIsNotResentAndTheTokenIsStillRefreshed() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        let words = ["get", server.url, "-T", "-", "--config", config, "--profile", "p"]
        let input = String(repeating: "0123456789abcdef", count: 1 << 17)
        let first = try freshet(words, input: input)
        XCTAssertEqual(first.status, 22)
        XCTAssertTrue(
            first.errorOutput.contains("the body came from a pipe and can't be sent again"), first.errorOutput)
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-2.1")
        XCTAssertEqual(try freshet(words, input: input).status, 0)
        XCTAssertEqual(server.counts.refreshes, 1)
    }

    func testOneRefreshServesAllLinesAndEachLineReportsItsRefreshes() throws {
        var rules = TokenServer.Rules()
        rules.expiry = .afterUses([20])
        let server = try tokenServer(rules)
        let (config, _) = try loggedIn(server)
        let input = (0..<50).map { "{\"id\":\($0),\"url\":\"\(server.url)/\($0)\"}\n" }.joined()
        let result = try freshet("run", "--ordered", "--config", config, "--profile", "p", input: input)
        XCTAssertEqual(result.status, 0, result.text)
        XCTAssertEqual(result.objects.map { $0["body"] as? String }, (0..<50).map { #"{"path":"/\#($0)"}"# })
        XCTAssertEqual(server.counts.refreshes, 1)
        XCTAssertEqual(server.counts.reuses, 0)
        let attempts = result.objects.map { $0["attempts"] as? Int ?? 0 }
        let refreshes = result.objects.map { $0["refreshes"] as? Int ?? 0 }
        XCTAssertEqual(attempts, refreshes.map { $0 + 1 })
        XCTAssertEqual(refreshes.reduce(0, +), server.counts.rejected)
        XCTAssertGreaterThan(server.counts.rejected, 0)
    }

    func testAReplayDoesNotCountAsARetry() throws {
        let busy = Atomic<Bool>(true)
        let server = try TokenServer(on: loop) { _ in
            busy.exchange(false, ordering: .relaxed)
                ? ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"])
                : ScriptedResponse(body: "a")
        }
        atTheEnd { server.close() }
        let (config, _) = try loggedIn(server)
        server.expireTokens()
        let result = try freshet(
            "run", "--retry", "1", "--config", config, "--profile", "p", input: "{\"url\": \"\(server.url)/\"}")
        XCTAssertEqual(result.objects[0]["status"] as? Int, 200)
        XCTAssertEqual(result.objects[0]["attempts"] as? Int, 3)
        XCTAssertEqual(result.objects[0]["refreshes"] as? Int, 1)
    }

    func testProcessesThatShareAStoreRefreshOnce() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.expireTokens()
        let runs = try (0..<4).map { _ in try FreshetProcess(["get", server.url, "--config", config, "--profile", "p"])
        }
        XCTAssertEqual(runs.map { $0.result().status }, [0, 0, 0, 0])
        XCTAssertEqual(server.counts.refreshes, 1)
        XCTAssertEqual(server.counts.reuses, 0)
    }

    func testAnEmptyStoreFailsWithLoginRequired() throws {
        let server = try tokenServer()
        let config = try profile(server, store: "memory:")
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
        XCTAssertTrue(server.requests.isEmpty)
    }

    func testARefusedRefreshFailsWithLoginRequiredUntilALogin() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.revokeSessions()
        let input = "{\"url\": \"\(server.url)/\"}\n"
        let result = try freshet("run", "--config", config, "--profile", "p", input: input)
        XCTAssertEqual(result.status, 1)
        let error = result.objects[0]["error"] as? [String: String]
        XCTAssertEqual(error?["code"], "login_required")
        XCTAssertEqual(result.objects[0]["status"] as? Int, 401)
        XCTAssertEqual(result.objects[0]["body"] as? String, #"{"error":"invalid_token"}"#)
        let requestsBefore = server.requests.count
        XCTAssertEqual(try freshet("run", "--config", config, "--profile", "p", input: input).status, 1)
        XCTAssertEqual(server.requests.count, requestsBefore)
    }

    func testATemporaryRefreshFailureIsRefreshFailedAndKeepsTheTokens() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        server.scriptRefreshes(with: ScriptedResponse(status: .badGateway))
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains(server.url), result.errorOutput)
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-1.1")
        XCTAssertEqual(try freshet("get", server.url, "--config", config, "--profile", "p").status, 0)
    }

    func testAResponseThatIsTruncatedDuringTheExpiryCheckKeepsItsStatus() throws {
        let server = try TokenServer(on: loop) { _ in
            ScriptedResponse(status: .internalServerError, body: #"{"errorCode":"E05"}"#).truncated(after: 5)
        }
        atTheEnd { server.close() }
        let (config, _) = try loggedIn(
            server, extra: #", "expired": {"body": {"pointer": "/errorCode", "equals": ["E05"]}}"#)
        let result = try freshet(
            "run", "--config", config, "--profile", "p", input: "{\"url\": \"\(server.url)/\"}\n")
        XCTAssertEqual((result.objects[0]["error"] as? [String: String])?["code"], "connection_lost")
        XCTAssertEqual(result.objects[0]["status"] as? Int, 500)
        XCTAssertTrue(result.objects[0]["body"] is NSNull)
    }

    func testATokenThatIsAlwaysRefusedFailsWithRefreshStorm() throws {
        var rules = TokenServer.Rules()
        rules.expiry = .everyUses(0)
        let server = try tokenServer(rules)
        let (config, _) = try loggedIn(server)
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_storm: "), result.errorOutput)
        XCTAssertEqual(server.counts.refreshes, 2)
    }

    func testAnUnreadableStoreIsAStoreErrorAndIsNotOverwritten() throws {
        let server = try tokenServer()
        let store = try temporaryFile("nonsense s3cret")
        let config = try profile(server, store: "file:\(store)")
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
        XCTAssertFalse(result.errorOutput.contains("s3cret"))
        XCTAssertEqual(try String(contentsOfFile: store, encoding: .utf8), "nonsense s3cret")
    }

    func testCredentialAndHeadersAreSentToTheOriginsOfTheProfileOnly() throws {
        let other = try ScriptedServer(on: loop)
        atTheEnd { other.close() }
        other.route { _ in ScriptedResponse() }
        let server = try TokenServer(on: loop) { request in
            request.path == "/there"
                ? ScriptedResponse(status: .temporaryRedirect, headers: [.location: "\(other.url)/"])
                : ScriptedResponse()
        }
        atTheEnd { server.close() }
        let (config, _) = try loggedIn(server, extra: #", "headers": {"X-Api-Key": "${KEY}-x$$y"}"#)
        _ = try freshet(
            "get", "\(server.url)/there", "--config", config, "--profile", "p", environment: ["KEY": "k"])
        let first = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(first.headers[.authorization], "Bearer access-1.1")
        XCTAssertEqual(first.headers[.init("X-Api-Key")!], "k-x$y")
        XCTAssertEqual(other.requests.count, 1)
        XCTAssertNil(other.requests[0].headers[.authorization])
        XCTAssertNil(other.requests[0].headers[.init("X-Api-Key")!])
    }

    func testAnExpiryInTheBodyIsRefreshedByATemplate() throws {
        var rules = TokenServer.Rules()
        rules.expiryResponse = .errorCode("E05", status: .internalServerError)
        rules.accessToken = { $0.headers[.authorization].map { String($0.dropFirst("Token ".count)) } }
        let server = try tokenServer(rules)
        let (config, store) = try loggedIn(
            server,
            extra: #", "scheme": "Token", "expired": {"body": {"pointer": "/errorCode", "equals": ["E05"]}}"#,
            refresh: """
                {"url": "\(server.reissueURL)", "method": "POST", "json": {"refreshToken": "{refresh_token}"},
                 "access_token": "/accessToken", "refresh_token": "/refreshToken", "expires_in": "/expiresIn"}
                """)
        server.expireTokens()
        let result = try freshet("get", "\(server.url)/a", "-d", "b", "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-2.1")
    }

    func testClientCredentialsRequireNoLogin() throws {
        let server = try tokenServer()
        let config = try profile(
            server, store: "memory:",
            refresh: """
                {"url": "\(server.tokenURL)", "client_id": "cli", "client_secret": "$SECRET", "grant": "client_credentials"}
                """)
        let result = try freshet(
            "get", "\(server.url)/a", "--config", config, "--profile", "p", environment: ["SECRET": "s"])
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests[0].headers[.authorization], "Basic Y2xpOnM=")
    }
}
