import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests requests through a profile that have an `Authorization` of their own.
final class OwnAuthorizationTests: ProfileTestCase {
    func testARedirectToAnotherOriginOfTheProfileGetsNoCredential() throws {
        let second = try ScriptedServer(on: loop)
        atTheEnd { second.close() }
        second.route { _ in ScriptedResponse() }
        server.route { _ in ScriptedResponse(status: .found, headers: [.location: second.url + "/x"]) }
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(server.url)", "\(second.url)"],
             "store": "file:\(try temporaryDirectory().path)/s"}}}
            """, named: "config.json")
        let login = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", input: "profile-token\n")
        XCTAssertEqual(login.status, 0, login.errorOutput)
        let words = ["--config", config, "--profile", "p"]
        let line = "{\"url\": \"\(server.url)\", \"headers\": {\"Authorization\": \"Bearer own\"}}\n"
        for result in [
            try freshet(["get", server.url, "-H", "Authorization: Bearer own"] + words),
            try freshet(["get", server.url, "-u", "a:b"] + words), try freshet(["run"] + words, input: line),
        ] {
            XCTAssertEqual(result.status, 0, result.errorOutput)
        }
        XCTAssertEqual(server.requests.map { $0.headers[.authorization] }, ["Bearer own", "Basic YTpi", "Bearer own"])
        XCTAssertEqual(second.requests.map { $0.headers[.authorization] }, [nil, nil, nil])
    }

    func testTheFieldsOfTheProfileAreSentBesideAnOwnAuthorization() throws {
        let second = try ScriptedServer(on: loop)
        let foreign = try ScriptedServer(on: loop)
        atTheEnd { [second, foreign].forEach { $0.close() } }
        server.route { _ in ScriptedResponse(status: .found, headers: [.location: second.url + "/x"]) }
        second.route { _ in ScriptedResponse(status: .found, headers: [.location: foreign.url + "/x"]) }
        foreign.route { _ in ScriptedResponse() }
        let config = try profile(origins: [server.url, second.url], headers: #""X-Api-Key": "$KEY""#)
        let line = "{\"url\": \"\(server.url)\", \"headers\": {\"Authorization\": \"Bearer own\"}}\n"
        for result in [
            try withKey(["get", server.url, "-u", "a:b"], config),
            try withKey(["get", server.url, "-H", "Authorization: Bearer own"], config),
            try withKey(["run"], config, input: line),
            try withKey(["bench", server.url, "-n", "1", "-u", "a:b"], config),
        ] {
            XCTAssertEqual(result.status, 0, result.errorOutput)
        }
        _ = try withKey(["events", server.url, "--no-reconnect", "-u", "a:b"], config)
        XCTAssertEqual(keys(of: server), Array(repeating: ["k3y"], count: 5))
        XCTAssertEqual(keys(of: second), Array(repeating: ["k3y"], count: 5))
        XCTAssertEqual(keys(of: foreign), Array(repeating: [], count: 5))
        XCTAssertEqual(
            server.requests.map { $0.headers[.authorization] },
            ["Basic YTpi", "Bearer own", "Bearer own", "Basic YTpi", "Basic YTpi"])
    }

    func testAFieldOfTheCallerReplacesTheProfilesBesideAnOwnAuthorization() throws {
        server.route { _ in ScriptedResponse() }
        let config = try profile(
            origins: [server.url], headers: #""X-Api-Key": "$KEY", "Authorization": "Key $KEY", "X-Tenant": "t""#)
        for words in [["-H", "X-Api-Key: own"], ["-H", "X-Api-Key:"]] {
            let result = try withKey(["get", server.url, "-u", "a:b"] + words, config)
            XCTAssertEqual(result.status, 0, result.errorOutput)
        }
        let line =
            "{\"url\": \"\(server.url)\", \"headers\": {\"X-Api-Key\": \"own\", \"Authorization\": \"Basic YTpi\"}}\n"
        XCTAssertEqual(try withKey(["run"], config, input: line).status, 0)
        XCTAssertEqual(keys(of: server), [["own"], [], ["own"]])
        for request in server.requests {
            XCTAssertEqual(request.headers[.authorization], "Basic YTpi")
            XCTAssertEqual(request.headers[.tenant], "t")
        }
    }

    func testTheStoredResponsesOfTwoKeysAreKeptApartBesideAnOwnAuthorization() throws {
        server.route { request in
            ScriptedResponse(headers: [.cacheControl: "max-age=100"], body: request.headers[.apiKey] ?? "none")
        }
        let config = try profile(origins: [server.url], headers: #""X-Api-Key": "$KEY""#)
        let folder = try temporaryDirectory().appendingPathComponent("cache").path
        func text(_ user: String, key: String?) throws -> String {
            let words = ["get", server.url, "-u", user, "--cache", folder]
            return try key.map { try withKey(words, config, key: $0).text } ?? freshet(words).text
        }
        XCTAssertEqual(try ["k1", "k2", nil, "k1"].map { try text("a:b", key: $0) }, ["k1", "k2", "none", "k1"])
        XCTAssertEqual(server.requests.count, 3)
        XCTAssertEqual(try text("c:d", key: "k1"), "k1")
        XCTAssertEqual(server.requests.count, 4, "another user")
    }

    func testARecordingMasksTheFieldsOfTheProfileBesideAnOwnAuthorization() throws {
        server.route { _ in ScriptedResponse(body: "key-of-ada") }
        let config = try profile(origins: [server.url], headers: #""X-Api-Key": "$KEY", "X-Plain": "pla1n""#)
        let path = try temporaryDirectory().appendingPathComponent("session.har").path
        let result = try withKey(["get", server.url, "-u", "a:b", "--record", path, "-v"], config, key: "key-of-ada")
        XCTAssertEqual(result.text, "key-of-ada", result.errorOutput)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for secret in ["key-of-ada", "pla1n", "YTpi"] {
            XCTAssertFalse(text.contains(secret), text)
            XCTAssertFalse(result.errorOutput.contains(secret), result.errorOutput)
        }
        XCTAssertTrue(text.lowercased().contains("x-api-key"), text)
    }

    private func profile(origins: [String], headers: String) throws -> String {
        try temporaryFile(
            """
            {"profiles": {"p": {"origins": \(origins), "store": "file:\(try temporaryDirectory().path)/s",
             "headers": {\(headers)}}}}
            """, named: "config.json")
    }

    private func withKey(
        _ words: [String], _ config: String, key: String = "k3y", input: String = ""
    ) throws -> FreshetResult {
        try freshet(words + ["--config", config, "--profile", "p"], input: input, environment: ["KEY": key])
    }

    private func keys(of server: ScriptedServer) -> [[String]] {
        server.requests.map { $0.headers[values: .apiKey] }
    }
}

extension HTTPField.Name {
    fileprivate static let tenant = Self("X-Tenant")!
}
