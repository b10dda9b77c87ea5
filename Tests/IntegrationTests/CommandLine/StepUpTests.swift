import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests a request that needs another login, because a refresh would return the same rights.
final class StepUpTests: ProfileTestCase {
    private func demandingServer(scope: String = "read write") throws -> TokenServer {
        let challenge = "Bearer error=\"insufficient_scope\", scope=\"\(scope)\""
        let demand = ScriptedResponse(status: .forbidden, headers: [.wwwAuthenticate: challenge], body: "no")
        let server = try TokenServer(on: loop) { _ in demand }
        atTheEnd { server.close() }
        return server
    }

    func testGetWritesTheResponseAndNamesTheStepUpCommand() throws {
        let server = try demandingServer()
        let (config, _) = try loggedIn(server)
        let result = try freshet("get", "\(server.url)/a", "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 22)
        XCTAssertEqual(result.text, "no")
        XCTAssertTrue(result.errorOutput.contains("step_up_required"), result.errorOutput)
        XCTAssertTrue(
            result.errorOutput.contains("freshet login --profile p --step-up --scope 'read write'"),
            result.errorOutput)
        XCTAssertEqual(server.counts.refreshes, 0)
    }

    func testScopesThatTheServerDoesNotNameAreAskedOfTheUser() throws {
        let server = try demandingServer(scope: "")
        let (config, _) = try loggedIn(server)
        let result = try freshet("get", "\(server.url)/a", "--config", config, "--profile", "p")
        XCTAssertTrue(
            result.errorOutput.contains(
                "demands more scopes, and does not say which; "
                    + "log in with freshet login --profile p --step-up --scope SCOPES"),
            result.errorOutput)
    }

    func testWithoutALoginTheScopesOfTheProfileAreNamed() throws {
        let server = try demandingServer()
        let config = try profile(
            server, store: "memory:",
            refresh: clientCredentials(of: server))
        for (verb, input) in [("get", ""), ("run", "{\"url\": \"\(server.url)/a\"}")] {
            let address = verb == "get" ? ["\(server.url)/a"] : []
            let result = try freshet([verb] + address + ["--config", config, "--profile", "p"], input: input)
            let text = result.text + result.errorOutput
            XCTAssertTrue(text.contains("step_up_required") && text.contains("refresh.scope in the profile"), text)
            XCTAssertFalse(text.contains("freshet login"), text)
        }
    }

    func testALineOfRunContainsTheStatusAndTheError() throws {
        let server = try demandingServer()
        let (config, _) = try loggedIn(server)
        let run = try Conversation(with: server, config)
        let line = try run.send("/a")
        XCTAssertEqual(line["status"] as? Int, 403)
        let error = try XCTUnwrap(line["error"] as? [String: Any])
        XCTAssertEqual(error["code"] as? String, "step_up_required")
        XCTAssertTrue((error["message"] as? String)?.contains("read write") ?? false, "\(error)")
        _ = try run.end()
        XCTAssertEqual(server.counts.refreshes, 0)
    }

    func testTheScopesOfTheServerRunNoCommandInAShell() throws {
        let server = try demandingServer(scope: "$(date) `date` it's")
        let (config, _) = try loggedIn(server)
        let result = try freshet("get", "\(server.url)/a", "--config", config, "--profile", "p")
        XCTAssertTrue(result.errorOutput.contains(#" --scope '$(date) `date` it'\''s'"#), result.errorOutput)
    }
}
