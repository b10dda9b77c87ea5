import Foundation
import FreshetHTTPTesting
import XCTest

final class LoginTests: ProfileTestCase {
    func testALoginWithoutAnyEndpointNamesTheMembersThatAreMissing() throws {
        let config = try temporaryFile(
            #"{"profiles": {"p": {"origins": ["\#(server.url)"], "store": "file:\#(try temporaryDirectory().path)/s"}}}"#,
            named: "config.json")
        let result = try freshet("login", "--config", config, "--profile", "p", "--device")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.hasPrefix(
                #"freshet: discovery: no token endpoint is known; name it as "url" in "refresh" of the profile, or an "issuer""#
            ),
            result.errorOutput)
    }

    func testALoginWritesTheStoreForItsOwnerOnly() throws {
        let server = try tokenServer()
        let (_, store) = try loggedIn(server)
        let stored = try stored(store)
        XCTAssertEqual(stored["access_token"] as? String, "access-1.1")
        XCTAssertEqual(stored["refresh_token"] as? String, "refresh-1.1")
        XCTAssertEqual(stored["version"] as? Int, 1)
        let mode = try FileManager.default.attributesOfItem(atPath: store)[.posixPermissions] as? Int
        XCTAssertEqual(mode, 0o600)
    }

    func testALoginReplacesAnUnreadableStore() throws {
        let store = try temporaryFile("nonsense")
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let result = try freshet("login", "--config", config, "--profile", "p", "--access-token", "-", input: "a\n")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "a")
    }

    func testATokenIsRefusedInQuotationMarksAndStoredWithOne() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let words = ["login", "--config", config, "--profile", "p", "--access-token", "-", "--scope", "a b"]
        let refused = try freshet(words, input: "\"tok\"\n")
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errorOutput.contains("has quotation marks around it"), refused.errorOutput)
        let accepted = try freshet(words, input: "t'ok\n")
        XCTAssertEqual(accepted.objects.last?["scope"] as? String, "a b", accepted.errorOutput)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "t'ok")
    }

    func testAStoredLoginWhoseLineCannotBeWrittenSucceedsWithANote() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let run = try FreshetProcess(
            ["login", "--config", config, "--profile", "p", "--access-token", "-"], redirection: ">/dev/full")
        try run.write("a\n")
        try run.input.fileHandleForWriting.close()
        let result = run.result()
        XCTAssertEqual(result.status, 0)
        XCTAssertTrue(result.errorOutput.contains("note: the credential is stored"), result.errorOutput)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "a")
    }

    func testALoginReportsMissingAndInvalidInput() throws {
        let server = try tokenServer()
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(server, store: "file:\(store)")
        let short = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", "--refresh-token", "-",
            input: "s3cret\n")
        XCTAssertEqual(short.status, 1)
        XCTAssertTrue(
            short.errorOutput.hasPrefix("freshet: invalid_request: the refresh token is missing"), short.errorOutput)
        XCTAssertFalse(short.errorOutput.contains("s3cret"))
        let header = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", input: "Bearer s3cret\n")
        XCTAssertEqual(header.status, 1)
        XCTAssertTrue(header.errorOutput.contains("write the token alone, without Bearer"), header.errorOutput)
        XCTAssertFalse(header.errorOutput.contains("s3cret"))
        let memory = try profile(server, store: "memory:")
        let result = try freshet("login", "--config", memory, "--profile", "p", "--access-token", "-", input: "a\n")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: store: a memory: store"), result.errorOutput)
        let empty = try freshet("get", "\(server.url)/items/1", "--config", memory, "--profile", "p")
        XCTAssertEqual(empty.status, 1)
        XCTAssertTrue(empty.errorOutput.contains("write file:PATH there"), empty.errorOutput)
        let nowhere = try profile(server, store: "file:/dev/null/s")
        let failed = try freshet(
            "login", "--config", nowhere, "--profile", "p", "--access-token", "-", input: "s3cret\n")
        XCTAssertEqual(failed.status, 1)
        XCTAssertTrue(failed.errorOutput.hasPrefix("freshet: store: "), failed.errorOutput)
        XCTAssertFalse(failed.errorOutput.contains("s3cret"))
    }

    func testWithJSONTheLastLineIsAnEventAlsoForGivenTokens() throws {
        let server = try tokenServer()
        let store = try temporaryDirectory().appendingPathComponent("s").path
        for (store, code) in [(store, nil), ("/dev/null/s", "store")] {
            let config = try profile(server, store: "file:\(store)")
            let result = try freshet(
                "login", "--config", config, "--profile", "p", "--json", "--access-token", "-", input: "s3cret\n")
            XCTAssertEqual(result.objects.map { $0["event"] as? String }, [code == nil ? "done" : "error"])
            XCTAssertEqual(result.objects.last?["code"] as? String, code)
            let message = result.objects.last?["message"] as? String
            XCTAssertFalse(message?.contains("store: ") ?? false, "the message repeats the code: \(message ?? "")")
            XCTAssertFalse((result.errorOutput + result.text).contains("s3cret"))
        }
    }

    func testAGivenAccessTokenThatHasToBeProvedIsNoted() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let refresh = #"{"url": "http://127.0.0.1:1/token", "client_id": "cli", "dpop": true}"#
        let config = try profile(try tokenServer(), store: "file:\(store)", refresh: refresh)
        let words = ["login", "--config", config, "--profile", "p"]
        for (options, isNoted) in [
            (["--access-token", "-", "--refresh-token", "-"], true), (["--access-token", "-"], true),
            (["--refresh-token", "-"], false),
        ] {
            let result = try freshet(words + options, input: "t0\nt1\n")
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(
                result.errorOutput.contains("note: a given access token has no key for \"dpop\""), isNoted,
                result.errorOutput)
        }
    }

    func testWindowsLineEndsAreAccepted() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let result = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", "--refresh-token", "-",
            input: "a\r\nr\r\n")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "a")
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "r")
    }

    func testATildeInThePathIsTheHomeDirectoryOfTheEnvironment() throws {
        let home = try temporaryDirectory()
        let config = try profile(try tokenServer(), store: "file:~/a/s.json")
        let result = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", input: "a\n",
            environment: ["HOME": home.path])
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(try stored(home.path + "/a/s.json")["access_token"] as? String, "a")
    }

    func testATokenThatCannotBeSentInAHeaderIsRefusedAndLeavesTheStoreUnchanged() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let before = try stored(store) as NSDictionary
        for token in ["s3cret-\u{FC}", "s3cret\u{1}", "s3cret\tx", "s3cret\rx"] {
            let result = try freshet(
                "login", "--config", config, "--profile", "p", "--access-token", "-", input: token + "\n")
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: "), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
            XCTAssertEqual(try stored(store) as NSDictionary, before)
        }
    }

    func testAProcessThatLostItsSessionDetectsALoginEvenInANewStore() throws {
        let server = try tokenServer()
        let (config, store) = try loggedIn(server)
        let run = try Conversation(with: server, config)
        server.revokeSessions()
        XCTAssertEqual(try run.errorCode(), "login_required")
        try FileManager.default.removeItem(atPath: store)
        try logIn(to: server, config)
        XCTAssertEqual(try stored(store)["version"] as? Int, 1, "the same as before")
        XCTAssertEqual(try run.send()["status"] as? Int, 200)
        XCTAssertEqual(try run.end(), 1)
    }

    func testALoginDoesNotWaitForTheEndOfTheInput() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let run = try FreshetProcess(["login", "--config", config, "--profile", "p", "--access-token", "-"])
        try run.write("a\n")
        XCTAssertEqual(run.result().status, 0)
        XCTAssertEqual(try stored(store)["access_token"] as? String, "a")
        XCTAssertNil(try stored(store)["expires_at"])
    }

    func testAGivenLifetimeIsStoredAsAnExpiry() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let result = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", "--expires-in", "600", input: "a")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let end = try XCTUnwrap(stored(store)["expires_at"] as? Double)
        XCTAssertEqual(end, Date().timeIntervalSince1970 + 600, accuracy: 60)
    }

    func testALoginWithoutARefreshTokenReportsThatIfTheProfileHasARefresh() throws {
        let server = try tokenServer()
        let refresh = #"{"url": "\#(server.tokenURL)", "client_id": "cli"}"#
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(server, store: "file:\(store)", refresh: refresh)
        let words = ["login", "--config", config, "--profile", "p", "--access-token", "-"]
        let note = "freshet: note: no refresh token was given; the session "
        XCTAssertTrue(try freshet(words, input: "a\n").errorOutput.hasSuffix(note + "can't be renewed\n"))
        let ending = try freshet(words + ["--expires-in", "3000"], input: "a\n")
        XCTAssertEqual(ending.status, 0)
        XCTAssertTrue(ending.errorOutput.contains(note + "ends at 2"), ending.errorOutput)
        XCTAssertFalse(try freshet(words + ["--refresh-token", "-"], input: "a\nr\n").errorOutput.contains(note))
    }

    func testWithARefreshTokenOnlyTheFirstRequestFetchesTheAccessToken() throws {
        let server = try tokenServer()
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(server, store: "file:\(store)")
        let result = try freshet(
            "login", "--config", config, "--profile", "p", "--refresh-token", "-",
            input: "\(server.signIn().refreshToken ?? "")\n")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let status = try freshet("status", "--config", config, "--profile", "p")
        XCTAssertEqual(status.objects.first?["state"] as? String, "expired")
        XCTAssertTrue(status.objects.first?["expires_at"] is NSNull, status.text)
        XCTAssertEqual(status.status, 0)
        let response = try freshet("get", "\(server.url)/a", "--config", config, "--profile", "p")
        XCTAssertEqual(response.status, 0, response.errorOutput)
        XCTAssertEqual(server.requests.map(\.path), ["/token", "/a"])
        XCTAssertEqual(try stored(store)["access_token"] as? String, "access-2.1")
    }

    func testOnATerminalTheTokensAreReadWithoutEcho() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let terminal = try Terminal()
        let run = try FreshetProcess(
            ["login", "--config", config, "--profile", "p", "--access-token", "-", "--refresh-token", "-"],
            input: terminal.end)
        XCTAssertEqual(run.firstErrorOutput(), "access token, which is not shown: ")
        XCTAssertFalse(terminal.shows, "whoever answers the prompt at once would see the token")
        try terminal.type("s3cret-a\n")
        var prompts = ""
        while !prompts.hasSuffix("refresh token, which is not shown: ") {
            let more = run.firstErrorOutput()
            if more.isEmpty { break }
            prompts += more
        }
        waitUntil("nothing is shown") { !terminal.shows }
        try terminal.type("s3cret-r\n")
        let result = run.result()
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(terminal.shows)
        XCTAssertFalse(terminal.text.contains("s3cret"))
        XCTAssertEqual(try stored(store)["access_token"] as? String, "s3cret-a")
        XCTAssertEqual(try stored(store)["refresh_token"] as? String, "s3cret-r")
    }

    func testAnInterruptAtThePromptRestoresTheEchoAndKeepsTheStore() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let terminal = try Terminal()
        let run = try FreshetProcess(
            ["login", "--config", config, "--profile", "p", "--access-token", "-"], input: terminal.end)
        _ = run.firstErrorOutput()
        waitUntil("nothing is shown") { !terminal.shows }
        kill(run.process.processIdentifier, SIGINT)
        XCTAssertEqual(run.result().status, 130)
        XCTAssertTrue(terminal.shows)
        XCTAssertFalse(FileManager.default.fileExists(atPath: store))
    }

    func testARefreshThatIsNotOAuthHasNoLoginFlow() throws {
        let server = try tokenServer()
        let config = try profile(
            server, store: "file:\(try temporaryDirectory().path)/s",
            refresh: "{\"url\": \"\(server.tokenURL)\", \"json\": {}, \"access_token\": \"/d/at\"}")
        for words in [[], ["--device"]] {
            let result = try freshet(["login", "--config", config, "--profile", "p"] + words)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(
                result.errorOutput.contains("has no login; store tokens with --access-token - --refresh-token -"),
                result.errorOutput)
        }
    }
}
