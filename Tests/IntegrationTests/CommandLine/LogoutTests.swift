import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class LogoutTests: ProfileTestCase {
    private func logout(_ config: String) throws -> FreshetResult {
        let result = try freshet("logout", "--config", config, "--profile", "p")
        XCTAssertEqual(result.text, "")
        for secret in ["access-", "refresh-1", "refresh-2", "s3cret"] {
            XCTAssertFalse(result.errorOutput.contains(secret), result.errorOutput)
        }
        return result
    }

    private func isEmpty(_ store: String) throws -> Bool {
        let stored = try stored(store)
        return stored["access_token"] == nil && stored["refresh_token"] == nil && stored["login_required"] == nil
    }

    func testWithoutARevocationURLALogoutEmptiesTheStoreAndReportsThat() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let result = try logout(config)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(try isEmpty(store))
        XCTAssertEqual(
            result.errorOutput,
            "freshet: note: the credential is forgotten, and not revoked: neither the profile's refresh.revoke_url nor discovery "
                + "names an endpoint for that\n")
        XCTAssertTrue(server.requests.isEmpty)
        let after = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertTrue(after.errorOutput.hasPrefix("freshet: login_required: "), after.errorOutput)
        XCTAssertTrue(server.requests.isEmpty)
    }

    func testAnEmptyStoreIsNotChanged() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        XCTAssertEqual(try logout(config).status, 0)
        let before = try stored(store) as NSDictionary
        let result = try logout(config)
        XCTAssertEqual(result.status, 0)
        XCTAssertTrue(result.errorOutput.contains("nothing was stored"), result.errorOutput)
        XCTAssertEqual(try stored(store) as NSDictionary, before)
    }

    func testAnUnreadableStoreIsAStoreErrorAndIsNotOverwritten() throws {
        let server = try tokenServer()
        let store = try temporaryFile("nonsense s3cret")
        let result = try logout(try profile(server, store: "file:\(store)"))
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: "), result.errorOutput)
        XCTAssertEqual(try String(contentsOfFile: store, encoding: .utf8), "nonsense s3cret")
    }

    func testALogoutRemovesARefusedCredential() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.revokeSessions()
        XCTAssertEqual(try freshet("get", server.url, "--config", config, "--profile", "p").status, 1)
        XCTAssertEqual(try stored(store)["login_required"] as? Bool, true)
        XCTAssertEqual(try logout(config).status, 0)
        XCTAssertTrue(try isEmpty(store))
    }

    func testALogoutWaitsForTheRefreshOfAnotherProcessAndRemovesItsResult() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        let barrier = Barrier()
        server.scriptRefreshes(
            with: ScriptedResponse.json(#"{"access_token": "late", "refresh_token": "r"}"#).delayed(until: barrier))
        let run = try FreshetProcess(["get", server.url, "--config", config, "--profile", "p"])
        waitUntil("the refresh is asked for") { server.requests.contains { $0.path == "/token" } }
        let logout = try FreshetProcess(["logout", "--config", config, "--profile", "p"])
        XCTAssertTrue(logout.firstErrorOutput().contains("waiting for it"))
        XCTAssertFalse(try isEmpty(store))
        barrier.release()
        XCTAssertEqual(logout.result().status, 0)
        _ = run.result()
        XCTAssertTrue(try isEmpty(store))
    }

    func testARunningProcessHasNoSessionAtItsNextRefresh() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        let run = try Conversation(with: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        XCTAssertEqual(try logout(config).status, 0)
        server.expireTokens()
        XCTAssertEqual(try run.errorCode(), "login_required")
        XCTAssertFalse(server.requests.contains { $0.path == "/token" })
        try logIn(to: server, config)
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        XCTAssertEqual(try run.end(), 1)
    }

    func testAnInterruptDuringTheWaitKeepsTheStore() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let before = try stored(store) as NSDictionary
        server.expireTokens()
        let barrier = Barrier()
        server.scriptRefreshes(with: ScriptedResponse(status: .badGateway).delayed(until: barrier))
        let run = try FreshetProcess(["get", server.url, "--config", config, "--profile", "p"])
        waitUntil("the refresh is asked for") { server.requests.contains { $0.path == "/token" } }
        let logout = try FreshetProcess(["logout", "--config", config, "--profile", "p"])
        XCTAssertTrue(logout.firstErrorOutput().contains("waiting for it"))
        kill(logout.process.processIdentifier, SIGINT)
        XCTAssertEqual(logout.result().status, 130)
        barrier.release()
        _ = run.result()
        XCTAssertEqual(try stored(store) as NSDictionary, before)
    }

    func testAKilledProcessDoesNotBlockALogout() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        let barrier = Barrier()
        server.scriptRefreshes(with: ScriptedResponse(status: .badGateway).delayed(until: barrier))
        let run = try FreshetProcess(["get", server.url, "--config", config, "--profile", "p"])
        waitUntil("the refresh is asked for") { server.requests.contains { $0.path == "/token" } }
        kill(run.process.processIdentifier, SIGKILL)
        _ = run.result()
        XCTAssertEqual(try logout(config).status, 0)
        XCTAssertTrue(try isEmpty(store))
        barrier.release()
    }

    func testBothTokensAreRevokedByTheClientOfTheProfileForEveryKindOfRefresh() throws {
        for template in [false, true] {
            let server = try tokenServer()
            let refresh =
                template
                ? "\"url\": \"\(server.reissueURL)\", \"json\": {}, \"access_token\": \"/accessToken\", \"client_id\": \"a b\""
                : "\"url\": \"\(server.tokenURL)\", \"client_id\": \"a b\", \"client_secret\": \"s&\""
            let (config, store) = try loggedIn(
                server, refresh: "{\(refresh), \"revoke_url\": \"\(server.revokeURL)\"}")
            let result = try logout(config)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(result.errorOutput, "")
            XCTAssertTrue(try isEmpty(store))
            XCTAssertEqual(server.requests.map(\.path), ["/revoke", "/revoke"])
            XCTAssertEqual(server.requests.map(\.method), [.post, .post])
            let client = "client_id=a+b"
            XCTAssertEqual(
                server.requests.map { Set($0.text.split(separator: "&")) },
                [
                    Set("token=refresh-1.1&token_type_hint=refresh_token&\(client)".split(separator: "&")),
                    Set("token=access-1.1&token_type_hint=access_token&\(client)".split(separator: "&")),
                ])
            let proof = template ? nil : "Basic YStiOnMlMjY="
            XCTAssertEqual(server.requests.map { $0.headers[.authorization] }, [proof, proof])
        }
    }

    func testALogoutWithoutANetworkForItsDiscoveryForgetsTheCredential() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(
            server, extra: #", "login": {"issuer": "http://127.0.0.1:1"}"#)
        XCTAssertEqual(try logout(config).status, 1)
        XCTAssertTrue(try isEmpty(store))
    }

    func testAFailedRevocationIsReportedAndTheCredentialIsStillRemoved() throws {
        let closed = try ScriptedServer(on: loop)
        closed.close()
        let revoker = try ScriptedServer(on: loop)
        atTheEnd { revoker.close() }
        for (url, response, code) in [
            ("\(closed.url)/revoke", nil, "connect"),
            ("\(revoker.url)/revoke", ScriptedResponse(status: .internalServerError, body: "s3cret"), "status"),
            (
                "\(revoker.url)/revoke", ScriptedResponse.json(#"{"error": "invalid_client"}"#, status: .unauthorized),
                "status"
            ),
        ] {
            if let response { revoker.route { _ in response } }
            let server = try tokenServer()
            let (config, store) = try loggedIn(
                server, refresh: "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"c\", \"revoke_url\": \"\(url)\"}")
            let result = try logout(config)
            XCTAssertEqual(result.status, 1, url)
            XCTAssertTrue(try isEmpty(store))
            XCTAssertTrue(
                result.errorOutput.hasPrefix(
                    "freshet: note: the credential is forgotten, but may stay valid until it expires, because"),
                result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("\nfreshet: \(code): "), result.errorOutput)
            XCTAssertEqual(try logout(config).status, 0, "nothing is left to be done")
        }
    }

    /// The error suggested to send the request again. Another logout finds no credential to revoke.
    func testALostRevocationSuggestsWhatIsLeftToDo() throws {
        let server = try tokenServer()
        let revoker = try ScriptedServer(on: loop)
        atTheEnd { revoker.close() }
        revoker.route { _ in .close }
        let (config, _) = try loggedIn(
            server,
            refresh: """
                {"url": "\(server.tokenURL)", "client_id": "c", "revoke_url": "\(revoker.url)/revoke"}
                """)
        let result = try logout(config)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("\nfreshet: connection_lost: "), result.errorOutput)
        XCTAssertTrue(
            result.errorOutput.contains("; end the session at the server, or let it expire ("), result.errorOutput)
    }

    func testARefusedCredentialIsRevokedAndAnUnknownTokenIsNotAFailure() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(
            server,
            refresh: """
                {"url": "\(server.tokenURL)", "client_id": "c", "revoke_url": "\(server.revokeURL)"}
                """)
        server.revokeSessions()
        XCTAssertEqual(try freshet("get", server.url, "--config", config, "--profile", "p").status, 1)
        let result = try logout(config)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests.filter { $0.path == "/revoke" }.count, 2)
        XCTAssertTrue(try isEmpty(store))
    }

    func testALogoutEndsTheSessionAtTheServer() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(
            server,
            refresh: """
                {"url": "\(server.tokenURL)", "client_id": "c", "revoke_url": "\(server.revokeURL)"}
                """)
        let record = try Data(contentsOf: URL(fileURLWithPath: store))
        XCTAssertEqual(try logout(config).status, 0)
        try record.write(to: URL(fileURLWithPath: store))
        let result = try freshet("get", server.url, "--config", config, "--profile", "p")
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
        XCTAssertEqual(server.counts.refreshes, 0)
    }
}
