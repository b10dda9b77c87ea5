import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests each promise about `login_required`.
final class LoginRequiredTests: ProfileTestCase {
    private func get(_ server: TokenServer, _ config: String, environment: [String: String] = [:]) throws
        -> FreshetResult
    {
        let result = try freshet(
            "get", "\(server.url)/a?q=s3cret", "--config", config, "--profile", "p", environment: environment)
        for secret in ["access-", "refresh-1", "refresh-2", "s3cret"] {
            XCTAssertFalse(result.errorOutput.contains(secret), result.errorOutput)
        }
        return result
    }

    func testEachRefusingResponseMarksTheStoreAndNoRefreshIsSentUntilALogin() throws {
        let server = try tokenServer()
        for status in [400, 401, 403] {
            let (config, store) = try loggedIn(server)
            server.expireTokens()
            server.scriptRefreshes(with: .json(#"{"code": "s3cret"}"#, status: .init(code: status)))
            let requestsBefore = server.requests.count
            let result = try get(server, config)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
            for part in [server.url, "refreshing", "log in"] {
                XCTAssertTrue(result.errorOutput.contains(part), "\(part): \(result.errorOutput)")
            }
            XCTAssertEqual(server.requests.dropFirst(requestsBefore).map(\.path), ["/a", "/token"])
            XCTAssertEqual(try stored(store)["login_required"] as? Bool, true)
            XCTAssertEqual(try stored(store)["version"] as? Int, 1)
            for _ in 0..<2 {
                let again = try get(server, config)
                XCTAssertTrue(again.errorOutput.hasPrefix("freshet: login_required: "), again.errorOutput)
            }
            XCTAssertEqual(server.requests.count, requestsBefore + 2)
            try logIn(to: server, config)
            XCTAssertNil(try stored(store)["login_required"])
            XCTAssertEqual(try get(server, config).status, 0)
        }
        XCTAssertEqual(server.counts.reuses, 0)
    }

    func testTheExpiryResponseOfTheProfileRefusesARefreshToo() throws {
        for (expired, response) in [
            (#"{"status": [401, 419]}"#, ScriptedResponse.json("{}", status: .init(code: 419))),
            (
                #"{"status": [401], "body": {"pointer": "/errorCode", "equals": ["E05"]}}"#,
                .json(#"{"errorCode": "E05"}"#, status: .internalServerError)
            ),
        ] {
            let server = try tokenServer()
            let (config, _) = try loggedIn(server, extra: ", \"expired\": \(expired)")
            server.expireTokens()
            server.scriptRefreshes(with: response)
            let result = try get(server, config)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
            XCTAssertEqual(server.requests.filter { $0.path == "/token" }.count, 1)
        }
    }

    func testAProcessWithoutACredentialDetectsTheFirstLogin() throws {
        let server = try tokenServer()
        let store = try temporaryDirectory().appendingPathComponent("a/b/store.json").path
        let config = try profile(server, store: "file:\(store)")
        let run = try Conversation(with: server, config)
        XCTAssertEqual(try run.errorCode(), "login_required")
        XCTAssertEqual(try run.errorCode(), "login_required")
        XCTAssertTrue(server.requests.isEmpty)
        try logIn(to: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        XCTAssertEqual(try run.end(), 1)
    }

    func testAProcessDetectsTheRefusalOfAnotherWithoutARefreshOfItsOwn() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        let run = try Conversation(with: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        server.revokeSessions()
        XCTAssertEqual(try get(server, config).status, 1)
        XCTAssertEqual(try run.errorCode(), "login_required")
        XCTAssertEqual(server.counts.refusals, 1)
        try logIn(to: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        XCTAssertEqual(try run.end(), 1)
    }

    func testManyLinesAtOnceFailWithOneRefusal() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.revokeSessions()
        let input = (0..<40).map { "{\"id\": \($0), \"url\": \"\(server.url)/\($0)\"}\n" }.joined()
        let result = try freshet("run", "--config", config, "--profile", "p", input: input)
        XCTAssertEqual(result.objects.count, 40)
        for object in result.objects {
            XCTAssertEqual((object["error"] as? [String: String])?["code"], "login_required")
        }
        XCTAssertEqual(server.counts.refusals, 1)
    }

    func testAnEmptyStoreOfAProfileWithoutARefreshRequiresALogin() throws {
        let config = try temporaryFile(
            #"{"profiles": {"p": {"origins": ["\#(server.url)"], "store": "file:\#(NSTemporaryDirectory())nothing.json"}}}"#,
            named: "poor.json")
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.hasPrefix("freshet: login_required: no credential is stored"), result.errorOutput)
    }

    func testAnEmptyStoreCausesNoRefreshUnlessTheGrantRequiresNoLogin() throws {
        let server = try tokenServer()
        let store = try temporaryFile(#"{"version": 4}"#)
        let result = try get(server, try profile(server, store: "file:\(store)"))
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
        XCTAssertTrue(server.requests.isEmpty)
        let grant = clientCredentials(of: server)
        XCTAssertEqual(try get(server, try profile(server, store: "file:\(store)", refresh: grant)).status, 0)
        XCTAssertEqual(try stored(store)["version"] as? Int, 5)
        XCTAssertNil(try stored(store)["refresh_token"])
        let kept = try get(server, try profile(server, store: "file:\(store)", refresh: grant))
        XCTAssertEqual(kept.status, 0)
        XCTAssertEqual(server.requests.filter { $0.path == "/token" }.count, 1)
        let login = try freshet(
            "login", "--config", try profile(server, store: "file:\(store)", refresh: grant), "--profile", "p")
        XCTAssertEqual(login.status, 1)
        XCTAssertTrue(login.errorOutput.contains("for which nobody logs in"), login.errorOutput)
    }

    func testARefusedClientIsAnErrorOfTheSettingsAndRequiresNoLogin() throws {
        let server = try tokenServer()
        let config = try profile(
            server, store: "memory:",
            refresh: clientCredentials(of: server))
        server.scriptRefreshes(with: .json(#"{"error": "invalid_client"}"#, status: .unauthorized))
        let result = try get(server, config)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: refresh_failed: "), result.errorOutput)
        XCTAssertEqual(server.requests.map(\.path), ["/token"])
    }

    func testARefusedGrantThatNeedsNoLoginSuggestsNone() throws {
        let server = try tokenServer()
        let config = try profile(
            server, store: "memory:",
            refresh: clientCredentials(of: server))
        server.scriptRefreshes(with: .json(#"{"error": "invalid_grant"}"#, status: .badRequest))
        let result = try get(server, config)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("check the client's id and secret"), result.errorOutput)
        XCTAssertFalse(result.errorOutput.contains("note: "), result.errorOutput)
        let needing = try get(server, try profile(server, store: "memory:"))
        XCTAssertTrue(needing.errorOutput.contains("memory:, which is empty in each new process"), needing.errorOutput)
    }
}
