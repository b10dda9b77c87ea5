import Foundation
import XCTest

/// Runs the command at an authorization server that other projects have written.
class RealServerTestCase: ResourceTestCase {
    private(set) var store = ""
    private(set) var config = ""

    /// Writes a profile of the server, whose resource is `/a`, and whose store is empty.
    func profile(_ server: PythonServer, refresh: String, login: String) throws {
        store = try temporaryDirectory().appendingPathComponent("store.json").path
        try profile(server, refresh: refresh, login: login, store: store)
    }

    private func profile(_ server: PythonServer, refresh: String, login: String, store: String) throws {
        config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(server.url)"], "store": "file:\(store)", "refresh": {\(refresh)},
             "login": {\(login)}}}}
            """, named: "config.json")
    }

    /// Runs a verb with the profile, and checks that its output contains no token of the store.
    @discardableResult
    func command(
        _ verb: String, _ words: String..., environment: [String: String] = [:]
    ) throws -> FreshetResult {
        let before = tokens()
        let result = try freshet([verb] + words + ["--config", config, "--profile", "p"], environment: environment)
        for token in before + tokens() {
            XCTAssertFalse((result.errorOutput + result.text).contains(token), "a token is shown")
        }
        return result
    }

    /// Logs in with a browser whose user decides as `decision` says.
    func logInByBrowser(_ words: String..., deciding decision: String = "accept") throws -> FreshetResult {
        let script = try temporaryFile("#!/bin/sh\n\(try PythonServer.browser(decision))\n", named: "browser")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        return try freshet(
            ["login", "--config", config, "--profile", "p", "--browser", "--timeout", "30"] + words,
            environment: ["BROWSER": script, "DISPLAY": ":9"])
    }

    /// Logs in by device. `decide` gets the event with the code while the command polls.
    func logInByDevice(_ decide: ([String: Any]) throws -> Void) throws -> FreshetResult {
        let run = try FreshetProcess(["login", "--config", config, "--profile", "p", "--device", "--json"])
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = run.output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        let event = try? JSONSerialization.jsonObject(with: line) as? [String: Any]
        if let event {
            XCTAssertEqual(event["event"] as? String, "device")
            try decide(event)
        }
        let result = run.result()
        XCTAssertNotNil(event, result.errorOutput)
        return result
    }

    func stored() throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: store))
        return try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The access token and the refresh token, if there are any.
    func tokens() -> [String] {
        let record = (try? stored()) ?? [:]
        return ["access_token", "refresh_token"].compactMap { record[$0] as? String }
    }

    /// Runs a GET with the credential.
    func get(_ url: String) throws -> FreshetResult { try command("get", url) }

    /// Asserts that a request requires a login, because the session has ended.
    func assertLoginIsRequired(_ url: String, line: UInt = #line) throws {
        let result = try get(url)
        XCTAssertTrue(result.errorOutput.contains("freshet: login_required: "), result.errorOutput, line: line)
    }
}
