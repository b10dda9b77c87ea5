import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests profiles that have only `headers`, such as an API key, and no credential.
final class KeyProfileTests: CommandLineTestCase {
    private func config(_ rest: String = "", headers: String = #""X-Api-Key": "$KEY""#) throws -> String {
        try temporaryFile(
            #"{"profiles": {"p": {"origins": ["\#(server.url)"], "headers": {\#(headers)}\#(rest)}}}"#,
            named: "config.json")
    }

    private func command(_ words: [String], _ config: String, input: String = "") throws -> FreshetResult {
        try freshet(words + ["--config", config, "--profile", "p"], input: input, environment: ["KEY": "k3y"])
    }

    func testTheKeyIsSentToTheOriginsAloneWithoutALogin() throws {
        let foreign = try ScriptedServer(on: loop)
        atTheEnd { foreign.close() }
        foreign.route { _ in ScriptedResponse() }
        server.route { _ in ScriptedResponse(status: .found, headers: [.location: foreign.url]) }
        let config = try config()
        for words in [["get", server.url], ["run"], ["bench", server.url, "-n", "1"]] {
            let result = try command(words, config, input: "{\"url\": \"\(server.url)\"}\n")
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("note:"), result.errorOutput)
        }
        _ = try command(["events", server.url, "--no-reconnect"], config)
        XCTAssertEqual(server.requests.map { $0.headers[.apiKey] }, Array(repeating: "k3y", count: 4))
        XCTAssertEqual(foreign.requests.map { $0.headers[.apiKey] }, Array(repeating: nil, count: 4))
    }

    func testARefusedKeyIsAnOrdinaryResponse() throws {
        server.route { _ in ScriptedResponse(status: .unauthorized, body: "no") }
        let result = try command(["get", server.url], config())
        XCTAssertEqual(result.status, 22, result.errorOutput)
        XCTAssertEqual(result.text, "no")
        XCTAssertFalse(result.errorOutput.contains("log in"), result.errorOutput)
        let line = try command(["run"], config(), input: "{\"url\": \"\(server.url)\"}\n").objects.first ?? [:]
        XCTAssertEqual(line["status"] as? Int, 401)
        XCTAssertTrue(line["error"] is NSNull)
        XCTAssertEqual(server.requests.count, 2)
    }

    func testAnAuthorizationOfTheProfileGivesWayToOneOfTheCaller() throws {
        server.route { _ in ScriptedResponse() }
        let config = try config(headers: #""Authorization": "Bearer $KEY""#)
        for words in [[], ["-u", "a:b"], ["-H", "Authorization:"]] {
            XCTAssertEqual(try command(["get", server.url] + words, config).status, 0)
        }
        XCTAssertEqual(server.requests.map { $0.headers[.authorization] }, ["Bearer k3y", "Basic YTpi", nil])
    }

    /// A server counts the requests of a key, whatever else is in them.
    func testLinesWithAndWithoutTheirOwnAcceptShareTheRateLimitOfTheKey() throws {
        server.route { _ in ScriptedResponse() }
        let config = try config(headers: #""X-Api-Key": "$KEY", "Accept": "text/plain""#)
        let own = ["a", "b"].map { "{\"url\": \"\(server.url)\", \"headers\": {\"Accept\": \"text/\($0)\"}}\n" }
        let input = own.joined() + "{\"url\": \"\(server.url)\"}\n"
        let result = try command(["run", "--rate-limit", "1/m", "--timeout", "5"], config, input: input)
        let codes = result.objects.compactMap { ($0["error"] as? [String: Any])?["code"] as? String }
        XCTAssertEqual(codes, ["overloaded", "overloaded"])
        XCTAssertEqual(server.requests.count, 1)
    }

    func testACacheAnswersAlsoWhereTheProfileNamesTheProgram() throws {
        server.route { _ in ScriptedResponse(headers: [.cacheControl: "max-age=60"], body: "stored") }
        let folder = try temporaryDirectory().path
        for (headers, isPrivate) in [
            (#""X-Api-Key": "$KEY", "User-Agent": "me/1""#, true), (#""User-Agent": "me/1""#, false),
        ] {
            let config = try config(headers: headers)
            let before = server.requests.count
            for _ in 0..<2 {
                let result = try command(["get", server.url + "/\(isPrivate)", "--cache", folder], config)
                XCTAssertEqual(result.text, "stored", result.errorOutput)
            }
            XCTAssertEqual(server.requests.count - before, 1, headers)
        }
    }

    func testTheCommandsOfALoginSayThatThereIsNoStore() throws {
        for words in [
            ["status"], ["logout"], ["login"], ["login", "--access-token", "-"], ["login", "--from-store", "memory:"],
        ] {
            let result = try command(words, config())
            XCTAssertEqual(result.status, 1, result.errorOutput)
            XCTAssertEqual(
                result.errorOutput,
                "freshet: store: the profile p has no store: it sends its headers, and needs no login; "
                    + "for a credential beside them, add \"store\" to the profile (preparing)\n")
            XCTAssertEqual(result.text, "")
        }
    }

    func testAKeyIsNotSentOverPlainHTTPToAnotherMachine() throws {
        let url = server.url.replacingOccurrences(of: "127.0.0.1", with: "0.0.0.0")
        server.route { _ in ScriptedResponse() }
        for (rest, status) in [("", 1), (#", "allow_http": true"#, 0)] {
            let config = try temporaryFile(
                #"{"profiles": {"p": {"origins": ["\#(url)"], "headers": {"X-Api-Key": "$KEY"}\#(rest)}}}"#)
            let result = try command(["get", url, "-u", "a:b"], config)
            XCTAssertEqual(result.status, Int32(status), result.errorOutput)
            XCTAssertEqual(result.errorOutput.contains("invalid_request"), status == 1, result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("k3y"), result.errorOutput)
        }
        XCTAssertEqual(server.requests.map { $0.headers[.apiKey] }, ["k3y"])
    }

    func testAKeyOfAProfileThatIsAboutACredentialDoesNotReplaceItsStore() throws {
        for rest in [#", "scheme": "Token""#, #", "login": {}"#, #", "refresh": {}"#, #", "expired": {}"#] {
            let result = try command(["get", server.url], config(rest))
            XCTAssertTrue(result.errorOutput.contains("profiles.p.store is missing"), result.errorOutput)
        }
        let result = try command(["get", server.url], config(headers: ""))
        XCTAssertTrue(result.errorOutput.contains("profiles.p.store is missing"), result.errorOutput)
    }
}
