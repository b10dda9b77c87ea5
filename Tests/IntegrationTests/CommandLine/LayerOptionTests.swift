import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the options for layers, except the cache.
final class LayerOptionTests: ProfileTestCase {
    func testIdenticalConcurrentRequestsAreSentOnce() throws {
        server.route(.get, "/a") { [loop] request in
            .deferred(
                Single<Int>.timer(.milliseconds(300), scheduler: LoopScheduler(loop!)).map { _ in
                    ScriptedResponse(body: "\(request.number)")
                })
        }
        let input = String(repeating: "{\"url\": \"\(server.url)/a\"}\n", count: 5)
        let result = try freshet("run", "--coalesce", input: input)
        XCTAssertEqual(result.objects.map { $0["body"] as? String }, Array(repeating: "1", count: 5))
        XCTAssertEqual(server.requests.count, 1)
    }

    func testTheRateLimitIsKeptAndAWaitThatIsTooLongFailsAtOnce() throws {
        server.route(.get, "/a") { _ in ScriptedResponse() }
        let input = String(repeating: "{\"url\": \"\(server.url)/a\"}\n", count: 4)
        let start = ContinuousClock.now
        let result = try freshet("run", "--rate-limit", "10/s", input: input)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertGreaterThan(ContinuousClock.now - start, .milliseconds(290))
        let slow = try freshet("run", "--rate-limit", "1/m", "--timeout", "5", input: input)
        let codes = slow.objects.compactMap { ($0["error"] as? [String: Any])?["code"] as? String }
        XCTAssertEqual(codes, ["overloaded", "overloaded", "overloaded"])
        XCTAssertEqual(try freshet("run", "--rate-limit", "auto", input: input).status, 0)
        for words in [
            ["--rate-limit", "0/s"], ["--rate-limit", "5"], ["--burst", "2"], ["--rate-limit", "5/s", "--burst", "0"],
        ] {
            XCTAssertEqual(try freshet(["run"] + words).status, 2, "\(words)")
        }
    }

    func testARecordingThatCannotBeWrittenIsAFailureOnceTheRequestIsOver() throws {
        server.route { _ in ScriptedResponse(body: String(repeating: "a", count: 40_000)) }
        let path = try temporaryDirectory().appendingPathComponent("r.har").path
        for words in [["get", server.url, "-sS"], ["run"]] {
            let run = try FreshetProcess(words + ["--record", path], fileSize: 16)
            try run.write(words[0] == "run" ? "{\"url\": \"\(server.url)\"}\n" : "")
            try run.input.fileHandleForWriting.close()
            let result = run.result()
            XCTAssertEqual(result.status, 1)
            XCTAssertGreaterThan(result.output.count, 40_000 - 1)
            XCTAssertTrue(
                result.errorOutput.hasPrefix(
                    "freshet: store: nothing is recorded any more: File too large; make space"),
                result.errorOutput)
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testARecordingIsReplayedWithoutTheServer() throws {
        server.route(.get, "/a") { request in ScriptedResponse(body: "n\(request.number)") }
        let path = try temporaryDirectory().appendingPathComponent("session.har").path
        let input = "{\"url\": \"\(server.url)/a\"}\n{\"url\": \"\(server.url)/a\"}\n"
        let recorded = try freshet("run", "-c", "1", "--record", path, input: input)
        XCTAssertEqual(recorded.objects.map { $0["body"] as? String }, ["n1", "n2"])
        let replayed = try freshet("run", "-c", "1", "--replay", path, input: input)
        XCTAssertEqual(replayed.objects.map { $0["body"] as? String }, ["n1", "n2"], replayed.errorOutput)
        XCTAssertEqual(server.requests.count, 2)
        let missing = try freshet("get", "\(server.url)/b", "--replay", path)
        XCTAssertEqual(missing.status, 1)
        XCTAssertTrue(missing.errorOutput.hasPrefix("freshet: not_recorded: "), missing.errorOutput)
        XCTAssertEqual(server.requests.count, 2)
        server.route(.get, "/b") { _ in ScriptedResponse(body: "b") }
        XCTAssertEqual(try freshet("get", "\(server.url)/b", "--replay-or-record", path).text, "b")
        XCTAssertEqual(try freshet("get", "\(server.url)/b", "--replay", path).text, "b")
        XCTAssertEqual(server.requests.count, 3)
        XCTAssertEqual(try freshet("get", server.url, "--record", path, "--replay", path).status, 2)
        XCTAssertEqual(try freshet("get", server.url, "--record", "-").status, 2)
        XCTAssertEqual(try freshet("get", server.url, "--replay-speed", "2").status, 2)
    }

    func testARepeatedReplayOfAStreamCausesANote() throws {
        server.route { _ in
            ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "retry: 1\ndata: a\n\n")
        }
        let path = try temporaryDirectory().appendingPathComponent("session.har").path
        XCTAssertEqual(try freshet("events", server.url, "--no-reconnect", "--record", path).status, 0)
        let once = try freshet("events", server.url, "--no-reconnect", "--replay", path)
        XCTAssertEqual(once.lines.count, 1, once.errorOutput)
        let twice = try freshet("events", server.url, "--limit", "2", "--replay", path)
        XCTAssertEqual(twice.lines.count, 2)
        XCTAssertTrue(twice.errorOutput.contains("--no-reconnect plays it once"), twice.errorOutput)
    }

    func testAReplayOfASessionWithARefreshUsesNoServerAndNoStore() throws {
        let tokens = try tokenServer()
        let (config, store) = try loggedIn(tokens)
        tokens.expireTokens()
        let path = try temporaryDirectory().appendingPathComponent("session.har").path
        let words = ["get", "\(tokens.url)/a", "--config", config, "--profile", "p"]
        let recorded = try freshet(words + ["--record", path])
        XCTAssertEqual(recorded.status, 0, recorded.errorOutput)
        XCTAssertEqual(tokens.counts.refreshes, 1)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for secret in ["access-", "refresh-"] { XCTAssertFalse(text.contains(secret), secret) }
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let requestsBefore = tokens.requests.count
        let replayed = try freshet(words + ["--replay", path])
        XCTAssertEqual(replayed.text, recorded.text, replayed.errorOutput)
        XCTAssertEqual(tokens.requests.count, requestsBefore)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: store)), before)
    }

    func testASecretFromTheEnvironmentIsMaskedWhereverItOccurs() throws {
        server.route { request in
            if request.path.hasPrefix("/renew") {
                return ScriptedResponse.json(
                    #"{"at": "new-token-1", "echo": "s3cret-in-json s3cret-in-query s3cret-in-refresh"}"#)
            }
            guard request.headers[.authorization] == "Bearer new-token-1" else {
                return ScriptedResponse(status: .unauthorized)
            }
            return .json(#"{"echo": "s3cret-in-header", "custom": "x", "device": "phone-of-ada", "at": "2026-01-01"}"#)
        }
        let folder = try temporaryDirectory()
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(server.url)"], "store": "file:\(folder.path)/store.json",
             "headers": {"X-Custom": "${A}", "X-Version": "2026-01-01"},
             "refresh": {"url": "\(server.url)/renew?k=$B", "headers": {"X-Own": "$C"}, "access_token": "/at",
              "json": {"rt": "{refresh_token}", "device": ["$D"], "kind": "plain-text"}}}}}
            """, named: "config.json")
        let environment = [
            "A": "s3cret-in-header", "B": "s3cret-in-query", "C": "s3cret-in-refresh", "D": "s3cret-in-json",
        ]
        let login = try freshet(
            "login", "--config", config, "--profile", "p", "--access-token", "-", "--refresh-token", "-",
            input: "old-token\nrefresh\n", environment: environment)
        XCTAssertEqual(login.status, 0, login.errorOutput)
        let path = folder.appendingPathComponent("session.har").path
        let words = ["get", "\(server.url)/a", "--config", config, "--profile", "p"]
        let recorded = try freshet(words + ["--record", path], environment: environment)
        XCTAssertTrue(recorded.text.contains("s3cret-in-header"), recorded.errorOutput)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertEqual(text.matches(of: #/.{0,40}s3cret[-a-z]*/#).map { String($0.output) }, [])
        let replayed = try freshet(words + ["--replay", path], environment: environment)
        XCTAssertEqual(
            replayed.text, recorded.text.replacing("s3cret-in-header", with: "REDACTED"), replayed.errorOutput)
    }

    func testAnUnreadableHSTSFileIsNamed() throws {
        let folder = try temporaryDirectory().path
        let result = try freshet("get", server.url, "--hsts", folder)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.hasPrefix("freshet: invalid_request: the file \(folder) of --hsts can't be read"),
            result.errorOutput)
    }

    /// The list counted as empty, and the request went out over http.
    func testAnHSTSFileOutOfReachIsNoEmptyList() throws {
        let path = try temporaryFile("text") + "/hsts"
        let result = try freshet("get", server.url, "--hsts", path)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.hasPrefix(
                "freshet: invalid_request: the file \(path) of --hsts can't be read: Not a directory"),
            result.errorOutput)
        XCTAssertEqual(server.requestCount, 0)
    }

    func testAFileThatIsNoListOfHostsIsNotReplacedByOne() throws {
        server.route { _ in ScriptedResponse() }
        let diary = try temporaryFile("my diary\n# and more\n")
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(server.url)"], "store": "memory:", "hsts": "\(diary)"}}}
            """, named: "config.json")
        for words in [["--hsts", diary], ["--config", config, "--profile", "p"]] {
            let result = try freshet(["get", server.url] + words)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(
                result.errorOutput.hasPrefix("freshet: store: \(diary) is no list of HSTS, and would be replaced"),
                result.errorOutput)
        }
        XCTAssertEqual(server.requestCount, 0)
        for text in ["", "\n", "# Your HSTS cache. https://curl.se/docs/hsts.html\n", "a.test \"20010101 00:00:00\"\n"]
        {
            XCTAssertEqual(try freshet("get", server.url, "--hsts", temporaryFile(text)).status, 0, text)
        }
    }

    func testAnInterruptedRecordingIsNotCompleteInTheReplay() throws {
        server.route { _ in
            ScriptedResponse(headers: [.contentLength: "100000"], body: "beginning").pausing(after: 9, until: Barrier())
        }
        let path = try temporaryDirectory().appendingPathComponent("session.har").path
        let recorded = try freshet("get", server.url, "--record", path, "-m", "1")
        XCTAssertEqual(recorded.status, 1)
        let replayed = try freshet("get", server.url, "--replay", path, "-m", "1")
        XCTAssertEqual(replayed.text, "beginning")
        XCTAssertEqual(replayed.status, 1)
        XCTAssertTrue(replayed.errorOutput.hasPrefix("freshet: timeout: "), replayed.errorOutput)
    }

    func testAHostOfTheHSTSFileIsRequestedByHTTPS() throws {
        let path = try temporaryFile("a.test \"unlimited\"\n", named: "hsts")
        let result = try freshet(
            "get", "-v", "http://a.test:\(server.url.split(separator: ":").last!)/", "--hsts", path, "--timeout", "1",
            "--resolve",
            "a.test:\(server.url.split(separator: ":").last!):127.0.0.1")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("https://a.test"), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("* HSTS: a.test takes https alone\n"), result.errorOutput)
    }
}
