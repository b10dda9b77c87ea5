import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests each promise about `refresh_failed`, `refresh_storm` and `store`.
final class RefreshFailedTests: ProfileTestCase {
    func testTheAdviceForARefusedClientIsPrintedOnce() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.expireTokens()
        server.scriptRefreshes(with: .json(#"{"error": "invalid_client"}"#, status: .unauthorized))
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
        XCTAssertEqual(result.errorOutput.components(separatedBy: "check the client's identifier").count, 2)
        XCTAssertEqual(result.errorOutput.components(separatedBy: ";").count, 2, result.errorOutput)
    }

    func testAnErrorThatNoTimeCuresNamesTheKeysOfTheProfile() throws {
        for (code, advice) in [
            ("invalid_scope", "check \"scope\" in \"refresh\" of the profile"),
            ("unauthorized_client", "check what the server allows the client of \"client_id\" in \"refresh\""),
            ("invalid_request", "check \"parameters\", \"resource\" and \"client_auth\" in \"refresh\""),
            ("unsupported_grant_type", "check \"grant\" and \"url\" in \"refresh\" of the profile"),
        ] {
            let server = try tokenServer()
            let (config, _) = try loggedIn(server)
            server.expireTokens()
            server.scriptRefreshes(with: .json("{\"error\": \"\(code)\"}", status: .badRequest))
            let result = try freshet("get", server.url, "--config", config, "--profile", "p")
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("; \(advice)"), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("later"), result.errorOutput)
        }
    }

    func testAGrantWithoutALoginClaimsNoCredentialThatIsKept() throws {
        let server = try tokenServer()
        let config = try profile(
            server, store: "memory:",
            refresh: clientCredentials(of: server))
        server.scriptRefreshes(with: .json(#"{"error": "invalid_scope"}"#, status: .badRequest))
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertTrue(
            result.errorOutput.hasPrefix(
                "freshet: refresh_failed: no credential could be obtained (status: "),
            result.errorOutput)
        XCTAssertFalse(result.errorOutput.contains("kept"), result.errorOutput)
    }

    func testAResponseThatIsNotARefusalKeepsTheTokensAndTheNextRequestTriesAgain() throws {
        for response in [
            ScriptedResponse(status: .internalServerError, body: "s3cret"), ScriptedResponse(status: .badGateway),
            ScriptedResponse(status: .notFound), ScriptedResponse(status: .init(code: 419)),
            ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(status: .tooManyRequests),
            ScriptedResponse(status: .found, headers: [.location: "http://127.0.0.1:1/"]), .json("s3cret"), .json("{}"),
            .json(#"{"access_token": 5}"#), .json(#"{"access_token": ""}"#),
            .json(#"{"access_token": "s3cret", "refresh_token": 5}"#),
            .json(#"{"access_token": "s3cret", "expires_in": "soon"}"#),
            .json(#"{"access_token": "s3cret"}"#).truncated(after: 5),
            .json(#"{"access_token": "s3cret"}"#).reset(after: 0),
            .raw("s3cret\r\n\r\n"),
        ] {
            let server = try tokenServer()
            let (config, store) = try loggedIn(server)
            let before = try stored(store) as NSDictionary
            let run = try Conversation(with: server, config)
            server.expireTokens()
            server.scriptRefreshes(with: response)
            let line = try run.send()
            let error = line["error"] as? [String: String]
            XCTAssertEqual(error?["code"], "refresh_failed", "\(response): \(line)")
            let message = error?["message"] ?? ""
            XCTAssertFalse(message.contains("s3cret"), message)
            XCTAssertTrue(message.contains(server.url) && message.contains("try again"), message)
            XCTAssertEqual(line["status"] as? Int, 401)
            XCTAssertEqual(try stored(store) as NSDictionary, before)
            XCTAssertEqual(try run.send()["status"] as? Int, 200)
            XCTAssertEqual(try run.end(), 1)
            XCTAssertEqual(server.counts.refreshes, 1)
        }
    }

    func testAnUnreachableEndpointFailsWithRefreshFailed() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server, refresh: #"{"url": "http://127.0.0.1:1/token", "client_id": "cli"}"#)
        server.expireTokens()
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("http://127.0.0.1:1"), result.errorOutput)
    }

    /// The profile is at fault, and not the credential, which another profile may be able to refresh.
    func testAProfileWithoutARefreshLeavesTheStoreUnchanged() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let before = try stored(store) as NSDictionary
        let withoutRefresh = try temporaryFile(
            #"{"profiles": {"p": {"origins": ["\#(server.url)"], "store": "file:\#(store)"}}}"#, named: "poor.json")
        server.expireTokens()
        let result = try freshet("get", server.url, "--config", withoutRefresh, "--profile", "p")
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
        XCTAssertTrue(
            result.errorOutput.contains("the server did not accept it, and the profile has no \"refresh\""),
            result.errorOutput)
        XCTAssertTrue(
            result.errorOutput.contains(
                "; add \"refresh\" to the profile, or log in again with freshet login --profile p"),
            result.errorOutput)
        XCTAssertEqual(try stored(store) as NSDictionary, before)
        XCTAssertEqual(try freshet("get", server.url, "--config", config, "--profile", "p").status, 0)
    }

    func testANewCredentialThatHasAlreadyExpiredIsAFailureAndItsRefreshTokenIsKept() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        server.scriptRefreshes(
            with: .json(#"{"access_token": "late", "refresh_token": "rotated", "expires_in": -1}"#))
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "rotated")
    }

    func testAResponseWithoutARefreshTokenKeepsTheOldOne() throws {
        var rules = TokenServer.Rules()
        rules.rotatesRefreshTokens = false
        let server = try tokenServer(rules)
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        server.scriptRefreshes(with: .json(#"{"access_token": "unknown"}"#))
        _ = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-1.1")
        XCTAssertEqual(server.counts.refreshes, 1, "the unknown token was refreshed with it")
    }

    func testTheSixthRefreshIn30SecondsFailsWithRefreshStorm() throws {
        var rules = TokenServer.Rules()
        rules.expiry = .everyUses(1)
        let server = try tokenServer(rules)
        let (config, _) = try loggedIn(server)
        let input = String(repeating: "{\"url\": \"\(server.url)/\"}\n", count: 8)
        let result = try freshet("run", "--concurrency", "1", "--config", config, "--profile", "p", input: input)
        let codes = result.objects.map { ($0["error"] as? [String: String])?["code"] ?? "" }
        XCTAssertEqual(codes, Array(repeating: "", count: 6) + ["refresh_storm", "refresh_storm"])
        XCTAssertEqual(server.counts.refreshes, 5)
    }

    func testTheProfileSetsTheRefreshLimitAndItsWindow() throws {
        var rules = TokenServer.Rules()
        rules.expiry = .everyUses(1)
        let server = try tokenServer(rules)
        let (config, _) = try loggedIn(
            server,
            refresh: "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"cli\", \"limit\": 2, \"window_s\": 3}")
        let run = try Conversation(with: server, config)
        XCTAssertEqual(try (0..<4).map { _ in try run.errorCode() }, ["", "", "", "refresh_storm"])
        let last = ContinuousClock.now
        waitUntil("the window has passed") { ContinuousClock.now - last > .milliseconds(3100) }
        XCTAssertEqual(try run.errorCode(), "")
        XCTAssertEqual(try run.end(), 1)
    }

    func testARefreshOfAnotherProcessDoesNotCountTowardsTheLimit() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let limited = try profile(
            server, store: "file:\(store)",
            refresh: "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"cli\", \"limit\": 1}")
        let taker = try Conversation(with: server, limited)
        let refresher = try Conversation(with: server, config)
        for _ in 0..<4 {
            server.expireTokens()
            XCTAssertEqual(try refresher.send()["status"] as? Int, 200)
            let line = try taker.send()
            XCTAssertEqual(line["status"] as? Int, 200)
        }
        server.expireTokens()
        XCTAssertEqual(try taker.send()["status"] as? Int, 200, "its own first")
        XCTAssertEqual(server.counts.refreshes, 5)
        XCTAssertEqual(server.counts.reuses, 0)
        XCTAssertEqual([try taker.end(), try refresher.end()], [0, 0])
    }

    func testAStoreThatCannotBeWrittenUsesNoRefreshToken() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let run = try Conversation(with: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        let record = try Data(contentsOf: URL(fileURLWithPath: store))
        let directory = (store as NSString).deletingLastPathComponent
        try FileManager.default.removeItem(atPath: directory)
        try Data().write(to: URL(fileURLWithPath: directory))
        server.expireTokens()
        XCTAssertEqual(try run.errorCode(), "store")
        XCTAssertFalse(server.requests.contains { $0.path == "/token" })
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try record.write(to: URL(fileURLWithPath: store))
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        XCTAssertEqual(try run.end(), 1)
    }

    func testADamagedStoreIsAStoreErrorUntilALoginReplacesIt() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let run = try Conversation(with: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        try Data("nonsense s3cret".utf8).write(to: URL(fileURLWithPath: store))
        server.expireTokens()
        let error = try run.send()["error"] as? [String: String]
        XCTAssertEqual(error?["code"], "store")
        XCTAssertFalse((error?["message"] ?? "").contains("s3cret"))
        XCTAssertTrue((error?["message"] ?? "").contains(store))
        XCTAssertEqual(try String(contentsOfFile: store, encoding: .utf8), "nonsense s3cret")
        try logIn(to: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        XCTAssertEqual(try run.end(), 1)
    }
}
