import Foundation
import FreshetHTTPTesting
import XCTest

/// A refresh token is spent when it is sent, so that the command must not end before the response is stored.
final class InterruptedRefreshTests: ProfileTestCase {
    private func slowServer() throws -> TokenServer {
        var rules = TokenServer.Rules()
        rules.refreshDelay = .seconds(3)
        return try tokenServer(rules)
    }

    func testATimeoutDuringTheRefreshLosesNoSession() throws {
        let server = try slowServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        let result = try freshet("get", server.url, "--timeout", "1.5", "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: timeout: "), result.errorOutput)
        XCTAssertEqual(server.counts.refreshes, 1)
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-2.1")
    }

    // The limits are for the responses of the API, which may speak another protocol than the token endpoint.
    func testTheLimitsOfARequestDoNotApplyToItsRefresh() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        let result = try freshet(
            "run", "--max-body", "3", "--config", config, "--profile", "p", input: "{\"url\": \"\(server.url)/\"}\n")
        XCTAssertEqual((result.objects[0]["error"] as? [String: String])?["code"], "too_large")
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-2.1")
    }

    func testAnInterruptDuringTheRefreshLosesNoSession() throws {
        let server = try slowServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        let run = try FreshetProcess(["get", server.url, "--config", config, "--profile", "p"])
        waitUntil("the refresh") { server.counts.refreshes == 1 }
        run.process.interrupt()
        XCTAssertEqual(run.result().status, 130)
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-2.1")
    }

    // Such a credential is asked for again at no loss.
    func testATimeoutDuringARequestForAServiceTokenEndsTheCommandAtOnce() throws {
        let server = try tokenServer()
        server.scriptRefreshes(with: ScriptedResponse().after(.seconds(60)))
        let config = try profile(
            server, store: "memory:",
            refresh: clientCredentials(of: server))
        let began = ContinuousClock.now
        let result = try freshet("get", server.url, "--timeout", "3", "--config", config, "--profile", "p")
        XCTAssertLessThan(ContinuousClock.now - began, .seconds(15), "it was waited for")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: timeout: "), result.errorOutput)
        XCTAssertFalse(result.errorOutput.contains("note:"), result.errorOutput)
        XCTAssertEqual(server.requests.filter { $0.path == "/token" }.count, 1)
    }

    func testAnInterruptAfterATimeoutEndsTheCommandAtOnce() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.expireTokens()
        server.scriptRefreshes(with: ScriptedResponse().after(.seconds(60)))
        let run = try FreshetProcess(["get", server.url, "--timeout", "1.5", "--config", config, "--profile", "p"])
        waitUntil("the refresh") { server.requests.contains { $0.path == "/token" } }
        XCTAssertTrue(run.firstErrorOutput().hasPrefix("freshet: timeout: "))
        let began = ContinuousClock.now
        run.process.interrupt()
        XCTAssertEqual(run.result().status, 130)
        XCTAssertLessThan(ContinuousClock.now - began, .seconds(4), "it was waited for")
    }

    func testASecondInterruptEndsTheCommandAtOnce() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        server.expireTokens()
        server.scriptRefreshes(with: ScriptedResponse().after(.seconds(60)))
        let run = try FreshetProcess(["get", server.url, "--config", config, "--profile", "p"])
        waitUntil("the refresh") { server.requests.contains { $0.path == "/token" } }
        let began = ContinuousClock.now
        run.process.interrupt()
        XCTAssertTrue(run.firstErrorOutput().hasPrefix("freshet: note: "))
        // A second signal that arrives together with the first one does not count, so the test repeats it.
        waitUntil("the end") {
            run.process.interrupt()
            return !run.process.isRunning
        }
        XCTAssertEqual(run.result().status, 130)
        XCTAssertLessThan(ContinuousClock.now - began, .seconds(5), "it was waited for")
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "refresh-1.1")
    }

    // The command waits for the refresh after the response, so that the next run finds its credential.
    func testAnInterruptAfterABodyFromAPipeEndsTheCommand() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.expireTokens()
        server.scriptRefreshes(with: ScriptedResponse().after(.seconds(60)))
        let run = try FreshetProcess(["get", server.url, "-iT", "-", "--config", config, "--profile", "p"])
        let writing = run.input.fileHandleForWriting
        DispatchQueue.global().async {
            try? writing.write(contentsOf: Data(String(repeating: "0123456789abcdef", count: 1 << 17).utf8))
            try? writing.close()
        }
        XCTAssertFalse(run.output.fileHandleForReading.availableData.isEmpty, "the head of the 401")
        waitUntil("the refresh") { server.requests.contains { $0.path == "/token" } }
        run.process.interrupt()
        let note = run.firstErrorOutput()
        XCTAssertTrue(note.hasPrefix("freshet: note: a credential is being refreshed or stored"), note)
        waitUntil("the end") {
            run.process.interrupt()
            return !run.process.isRunning
        }
        XCTAssertEqual(run.result().status, 130)
    }
}
