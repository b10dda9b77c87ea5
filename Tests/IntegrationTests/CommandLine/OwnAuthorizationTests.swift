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
}
