import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a note of `freshet get` says what happened, and that there is none where it would mislead.
final class NoteTests: CommandLineTestCase {
    // The body is in the hands of another program then, and a script that ends with 22 has to say why.
    func testAStatusFrom400IsAnErrorLineBesideABodyThatNoTerminalShows() throws {
        server.route { _ in ScriptedResponse(status: .internalServerError, body: "why") }
        let line = "freshet: status: the server responded with 500 (receiving the response, GET \(server.url)/a)\n"
        for (words, isWritten) in [
            ([], true), (["-o", "-"], true), (["-sS"], true), (["-s"], false), (["-i"], false), (["-v"], false),
        ] {
            let result = try freshet(["get", "\(server.url)/a?b=c"] + words)
            XCTAssertEqual(result.status, 22)
            XCTAssertTrue(result.text.hasSuffix("why"), result.text)
            XCTAssertEqual(result.errorOutput.contains("freshet: status: "), isWritten, "\(words)")
            if isWritten { XCTAssertEqual(result.errorOutput, line) }
        }
        let terminal = try Terminal()
        let run = try FreshetProcess(["get", server.url], redirection: ">&0", input: terminal.end)
        XCTAssertEqual(run.result().errorOutput, "")
        XCTAssertEqual(terminal.text, "why")
    }

    func testTheStatusIsAnErrorLineWhereItsNoteIsSilenced() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        server.route(.get, "/empty") { _ in ScriptedResponse(status: .notFound) }
        server.route(.get, "/page") { _ in ScriptedResponse(status: .notFound, body: "page") }
        for (path, words, text) in [
            ("/empty", [], "404, and the body is empty"), ("/page", ["-o", file], "404; the body is in \(file)"),
        ] {
            let words = ["get", server.url + path] + words
            XCTAssertEqual(try freshet(words).errorOutput, "freshet: note: the server responded with \(text)\n")
            XCTAssertEqual(
                try freshet(words + ["-sS"]).errorOutput,
                "freshet: status: the server responded with \(text) (receiving the response, GET \(server.url)\(path))\n"
            )
            XCTAssertEqual(try freshet(words + ["-s"]).errorOutput, "")
        }
    }

    func testA407SaysWhereTheProxysPasswordGoes() throws {
        server.enqueue(ScriptedResponse(status: .proxyAuthenticationRequired))
        let direct = try freshet("get", server.url)
        XCTAssertEqual(direct.status, 22)
        XCTAssertFalse(direct.errorOutput.contains("proxy wants"), direct.errorOutput)
        server.enqueue(ScriptedResponse(status: .proxyAuthenticationRequired))
        let result = try freshet("get", "http://example.invalid/", "-x", server.url)
        XCTAssertTrue(result.errorOutput.contains("note: the proxy wants a user and a password"), result.errorOutput)
        server.enqueue(ScriptedResponse(status: .proxyAuthenticationRequired))
        let proxy = server.url.replacing("http://", with: "http://user:wrong@")
        let refused = try freshet("get", "http://example.invalid/", "-x", proxy)
        XCTAssertTrue(refused.errorOutput.contains("note: the proxy refused the user"), refused.errorOutput)
        server.enqueue(ScriptedResponse(status: .proxyAuthenticationRequired))
        let fromEnvironment = try freshet("get", "http://example.invalid/", environment: ["http_proxy": proxy])
        XCTAssertTrue(
            fromEnvironment.errorOutput.contains("note: the proxy refused the user"), fromEnvironment.errorOutput)
    }

    func testAFileWithJSONThatIsSentAsAFormCausesTheNoteOfSuchData() throws {
        server.route { _ in ScriptedResponse() }
        let long = String(repeating: "x", count: 1000)
        for (content, isNoted) in [
            ("{}", true), (" {\"a\": \"\(long)\"}\r\n", true), ("[\n\"\(long)\"]\n", true), ("a=\(long)}", false),
            ("{x}=\(long)", false), ("", false),
        ] {
            let file = try temporaryFile(content)
            for words in [["-d", "@\(file)"], ["--data-binary", "@\(file)"]] {
                let result = try freshet(["get", server.url] + words)
                XCTAssertEqual(result.status, 0, result.errorOutput)
                let note = "note: the body looks like JSON, and is sent as a form; to send JSON, write --json"
                XCTAssertEqual(result.errorOutput.contains(note), isNoted, content)
                XCTAssertEqual(server.requests.last?.text.hasSuffix(content), true)
            }
            let typed = try freshet("get", server.url, "-d", "@\(file)", "-H", "Content-Type: application/json")
            XCTAssertFalse(typed.errorOutput.contains("looks like JSON"), typed.errorOutput)
        }
    }

    func testAnAddressForAHostMayBeginWithAPlus() throws {
        server.enqueue(ScriptedResponse())
        let port = try XCTUnwrap(server.url.split(separator: ":").last)
        let result = try freshet(
            "get", "http://example.invalid:\(port)/", "--resolve", "+example.invalid:\(port):127.0.0.1")
        XCTAssertEqual(result.status, 0, result.errorOutput)
    }

    func testAnEmptyNameOfTheHSTSFileIsRefused() throws {
        let result = try freshet("get", server.url, "--hsts", "")
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(result.errorOutput.contains("--hsts names no file"), result.errorOutput)
    }

    func testA304LeavesTheFileAsItIs() throws {
        server.enqueue(ScriptedResponse(body: "old"), ScriptedResponse(status: .notModified))
        let path = try temporaryDirectory().appendingPathComponent("file").path
        XCTAssertEqual(try freshet("get", server.url, "-o", path).status, 0)
        let result = try freshet("get", server.url, "-H", "If-None-Match: \"a\"", "-o", path)
        XCTAssertEqual(result.status, 0)
        XCTAssertTrue(result.errorOutput.contains("note: the server responded with 304"), result.errorOutput)
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "old")
    }

    func testTheOptionSSilencesTheNoteAboutAnExposedOrigin() throws {
        server.route(.get, "/") { _ in ScriptedResponse(body: "b") }
        let config = try temporaryFile(
            #"{"profiles": {"p": {"origins": ["http://api.example.com"], "store": "memory:"}}}"#, named: "config.json")
        let words = ["get", server.url, "--config", config, "--profile", "p"]
        XCTAssertTrue(try freshet(words).errorOutput.contains("note: http://api.example.com gets no credential"))
        XCTAssertEqual(try freshet(words + ["-s"]).errorOutput, "")
    }

    func testALongWaitForARetryCausesANoteAlsoWithoutATerminal() throws {
        server.route { _ in ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "100"]) }
        let errors = try temporaryDirectory().appendingPathComponent("errors").path
        let words = ["get", server.url, "--retry", "1", "--timeout", "300"]
        let run = try FreshetProcess(words, redirection: "2>'\(errors)'")
        var text: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }
        waitUntil("the note is written") { text.hasSuffix("\n") }
        XCTAssertTrue(text.hasPrefix("freshet: note: responded with 429 Too Many Requests; trying again in 1"), text)
        run.process.interrupt()
        XCTAssertEqual(run.result().status, 130)
    }

    func testANegativeNumberIsRefusedInPlainWords() throws {
        let result = try freshet("get", server.url, "--retry", "-1")
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(
            result.errorOutput.hasPrefix("freshet: --retry is a number from 0 up\n"), result.errorOutput)
    }

    func testAMethodInLowerCaseIsSentAndItsStandardNameIsNoted() throws {
        server.route { _ in ScriptedResponse() }
        let result = try freshet("get", server.url, "-X", "post")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(
            result.errorOutput, "freshet: note: the method post is sent as it is; servers know it as POST\n")
        XCTAssertEqual(server.requests.last?.method.rawValue, "post")
        XCTAssertEqual(try freshet("get", server.url, "-X", "purge").errorOutput, "")
        let empty = try freshet("get", server.url, "-X", "")
        XCTAssertTrue(empty.errorOutput.contains("the method is empty; write a name such as POST"), empty.errorOutput)
    }

    func testASecondDownloadToAFileClaimsNothingOfTheFirst() throws {
        let barrier = Barrier()
        let tagged: HTTPFields = [.eTag: "\"v\""]
        server.enqueue(
            ScriptedResponse(headers: tagged, pieces: [Array("hello".utf8), Array(" world".utf8)])
                .pausing(after: 5, until: barrier))
        let file = try temporaryDirectory().appendingPathComponent("file").path
        let first = try FreshetProcess(["get", server.url, "-o", file, "--resume"])
        waitUntil("the first has begun") {
            server.requestCount == 1 && FileManager.default.fileExists(atPath: file + ".part")
        }
        let second = try freshet("get", server.url, "-o", file, "--resume")
        XCTAssertEqual(second.status, 1)
        XCTAssertTrue(second.errorOutput.contains("another download writes it"), second.errorOutput)
        XCTAssertFalse(second.errorOutput.contains("note:"), second.errorOutput)
        barrier.release()
        XCTAssertEqual(first.result().status, 0)
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "hello world")
    }

    func testADownloadThatBeginsAnewIsNoted() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        server.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], body: "hello world").truncated(after: 5))
        XCTAssertFalse(try freshet("get", server.url, "-o", file, "--resume").errorOutput.contains("anew"))
        server.enqueue(ScriptedResponse(headers: [.eTag: "\"v2\""], body: "another file"))
        let result = try freshet("get", server.url, "-o", file, "--resume")
        XCTAssertTrue(result.errorOutput.contains("note: the download begins anew"), result.errorOutput)
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "another file")
    }

    func testADownloadThatBeginsAnewAfterALostConnectionIsNoted() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        server.enqueue(
            ScriptedResponse(headers: [.eTag: "\"v1\""], body: "hello world").truncated(after: 5),
            ScriptedResponse(headers: [.eTag: "\"v2\""], body: "another file"))
        let result = try freshet("get", server.url, "-o", file, "--resume", "--retry", "1")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("the server sent no rest"), result.errorOutput)
    }

    func testADownloadThatDropsThePartOfAnotherAddressIsNoted() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        server.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], body: "hello world").truncated(after: 5))
        XCTAssertFalse(try freshet("get", server.url + "?sig=1", "-o", file, "--resume").errorOutput.contains("anew"))
        server.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], body: "hello world"))
        let result = try freshet("get", server.url + "?sig=2", "-o", file, "--resume")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(
            result.errorOutput,
            "freshet: note: the download begins anew, because \(file).part is of another address\n")
    }

    func testOnlyADownloadThatCouldGoOnNotesThatItBeginsAnew() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        server.enqueue(ScriptedResponse(body: "hello world").truncated(after: 5))
        _ = try freshet("get", server.url, "-o", file, "--resume")
        server.enqueue(ScriptedResponse(body: "posted"))
        XCTAssertFalse(try freshet("get", server.url, "-o", file, "--resume", "-d", "x").errorOutput.contains("anew"))
        server.enqueue(ScriptedResponse(body: "hello world"))
        XCTAssertTrue(
            try freshet("get", server.url, "-o", file, "--resume").errorOutput.contains(
                "note: the download begins anew, because \(file).part can't be continued safely"))
    }

    func testAFileThatHasNotChangedIsNoFailureOfADownloadThatResumes() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        for words in [[], ["--resume"]] {
            server.enqueue(ScriptedResponse(status: .notModified, headers: [.eTag: "\"v1\""]))
            let result = try freshet(["get", server.url, "-o", file, "-H", "If-None-Match: \"v1\""] + words)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("responded with 304, so nothing was written"), result.errorOutput)
        }
        server.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], body: "hello world").truncated(after: 5))
        _ = try freshet("get", server.url, "-o", file, "--resume")
        server.enqueue(ScriptedResponse(status: .notModified, headers: [.eTag: "\"v1\""]))
        let result = try freshet("get", server.url, "-o", file, "-H", "If-None-Match: \"v1\"", "--resume")
        XCTAssertTrue(result.errorOutput.contains("note: \(file).part is as it was before"), result.errorOutput)
    }

    func testTheHeadIsWrittenByteForByte() throws {
        let head = Array("HTTP/1.1 200 OK\r\nX-Name: M".utf8) + [0xFC] + Array("ller\r\nContent-Length: 0\r\n\r\n".utf8)
        server.enqueue(.raw(head))
        XCTAssertTrue(try freshet("get", "-i", server.url).output.contains([0x4D, 0xFC, 0x6C]))
    }

    func testTheTraceShowsTheChallengesOfARefusalWithoutTheCredentialThatTheyRepeat() throws {
        var response = ScriptedResponse(status: .unauthorized)
        response.headers[.wwwAuthenticate] = #"Bearer realm="a", error_description="no s3cret""#
        response.headers[.proxyAuthenticate] = #"Basic realm="b""#
        server.enqueue(response)
        let text = try freshet("get", "-v", server.url, "-H", "Authorization: Bearer s3cret").errorOutput
        let challenge = #"< WWW-Authenticate: Bearer realm="a", error_description="no (not shown)""#
        XCTAssertTrue(text.contains("\(challenge)\n"), text)
        XCTAssertTrue(text.contains("< Proxy-Authenticate: Basic realm=\"b\"\n"), text)
    }
}
