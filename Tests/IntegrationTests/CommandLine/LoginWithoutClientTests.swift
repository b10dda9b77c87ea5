import FreshetHTTPTesting
import XCTest

/// Tests that a login at a server needs a client there.
final class LoginWithoutClientTests: SignInTestCase {
    private func config(_ rest: String) throws -> String {
        try temporaryFile(
            #"{"profiles": {"p": {"origins": ["\#(url)"], "store": "file:\#(store)"\#(rest)}}}"#, named: "config.json")
    }

    /// The server would wait for its user, whom it can't ask without knowing for which client.
    func testALoginOfAProfileWithoutAClientIsRefusedBeforeItsFirstRequest() throws {
        let login = #", "login": {"issuer": "\#(url)"}"#
        let template = #", "refresh": {"url": "\#(url)/token", "json": {}, "access_token": "/a"}"#
        for words in [["--browser"], ["--paste"], ["--device"]] {
            for (rest, options) in [
                (login, []), (login + template, []), ("", ["--issuer", url]), ("", ["--discover", url]),
            ] {
                let config = try config(rest)
                let result = try freshet(
                    ["login", "--config", config, "--profile", "p", "--timeout", "5"] + words + options)
                XCTAssertEqual(result.status, 1)
                XCTAssertEqual(
                    result.errorOutput,
                    "freshet: invalid_request: \(config): profiles.p.refresh.client_id is missing; "
                        + "add it (preparing)\n")
            }
        }
        XCTAssertEqual(server.requestCount, 0)
    }

    func testGivenTokensNeedNoClient() throws {
        let config = try config(#", "login": {"issuer": "\#(url)"}"#)
        let result = try freshet("login", "--config", config, "--profile", "p", "--access-token", "-", input: "a\n")
        XCTAssertEqual(result.status, 0, result.errorOutput)
    }
}
