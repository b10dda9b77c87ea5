import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests that words of curl do in `get` what they do in curl.
final class CurlOptionTests: CommandLineTestCase {
    func testTheValueOfAnOptionMayFollowInTheSameArgumentAlsoAfterFlags() throws {
        server.route { _ in ScriptedResponse() }
        _ = try freshet("get", "-XDELETE", "-HX-A:b", "-Aagent/1", "-ehttp://from/", server.url)
        _ = try freshet("get", "-sXPATCH", "-da=1", "-m30", server.url)
        let first = server.requests[0]
        XCTAssertEqual(first.method, .delete)
        XCTAssertEqual(first.headers[.init("X-A")!], "b")
        XCTAssertEqual(first.headers[.userAgent], "agent/1")
        XCTAssertEqual(first.headers[.init("Referer")!], "http://from/")
        XCTAssertEqual(server.requests[1].method, .patch)
        XCTAssertEqual(server.requests[1].text, "a=1")
    }

    func testAHeaderWithoutAValueIsRemovedAndWithASemicolonSentEmpty() throws {
        server.route { _ in ScriptedResponse() }
        _ = try freshet(
            "get", "-d", "a", "-H", "Content-Type:", "-HExpect:", "-H", "X-Empty;", "-HAccept-Encoding: ", server.url)
        let headers = server.requests[0].headers
        XCTAssertNil(headers[.contentType])
        XCTAssertNil(headers[.expect])
        XCTAssertEqual(headers[.init("X-Empty")!], "")
        XCTAssertEqual(headers[.acceptEncoding], "")
    }

    func testDataIsJoinedInTheOrderOfTheCommandLine() throws {
        server.route { _ in ScriptedResponse() }
        let file = try temporaryFile("ü&")
        _ = try freshet(
            "get", server.url, "--data-urlencode", "a=x y", "-d", "b=1", "--data-raw", "@c", "--data-urlencode",
            "n@\(file)",
            "--data-urlencode", "=e=f", "--data-binary", "g")
        XCTAssertEqual(server.requests[0].text, "a=x+y&b=1&@c&n=%C3%BC%26&e%3Df&g")
    }

    func testDataIsSentInTheQueryWithTheOptionG() throws {
        server.route { _ in ScriptedResponse() }
        _ = try freshet("get", "-G", "-d", "a=1", "--data-urlencode", "b=x y", "\(server.url)/p?q=0#f")
        XCTAssertEqual(server.requests[0].method, .get)
        XCTAssertEqual(server.requests[0].target, "/p?q=0&a=1&b=x+y")
        XCTAssertEqual(server.requests[0].text, "")
        _ = try freshet("get", "-G", "-d", "@\(temporaryFile("a=1\r\n"))", "-d", "b=2", server.url)
        XCTAssertEqual(server.requests.last?.target, "/?a=1&b=2")
    }

    func testJSONSetsContentTypeAndAcceptUnlessTheyAreGiven() throws {
        server.route { _ in ScriptedResponse() }
        _ = try freshet("get", "--json", "{\"a\":", "--json", "1}", server.url)
        _ = try freshet(
            "get", "--json", "@\(temporaryFile("[2]"))", "-H", "Accept: text/plain", "-X", "PUT", server.url)
        XCTAssertEqual(server.requests.map(\.text), ["{\"a\":1}", "[2]"])
        XCTAssertEqual(server.requests.map(\.method), [.post, .put])
        XCTAssertEqual(server.requests.map { $0.headers[.contentType] }, ["application/json", "application/json"])
        XCTAssertEqual(server.requests.map { $0.headers[.accept] }, ["application/json", "text/plain"])
    }

    func testJSONThatIsSentAsAFormCausesANote() throws {
        server.route { _ in ScriptedResponse() }
        let noted = try freshet("get", "-d", "{\"a\": 1}", server.url)
        XCTAssertTrue(noted.errorOutput.contains("write --json"), noted.errorOutput)
        XCTAssertEqual(noted.status, 0)
        for words in [["-s", "-d", "{}"], ["-d", "{}", "-H", "Content-Type: x/y"], ["-d", "{a=1"]] {
            XCTAssertEqual(try freshet(["get", server.url] + words).errorOutput, "")
        }
    }

    func testAFormContainsFieldsAndFiles() throws {
        server.route { _ in ScriptedResponse() }
        let file = try temporaryFile("inside")
        _ = try freshet(
            "get", server.url, "-F", "a=1;type=text/x; charset=y", "-F", "f=@\(file);filename=\"q;.png\"", "-F",
            "c=<\(file)")
        let request = server.requests[0]
        XCTAssertEqual(request.method, .post)
        XCTAssertTrue(request.headers[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        for part in [
            "name=\"a\"\r\nContent-Type: text/x; charset=y\r\n\r\n1\r\n",
            "name=\"f\"; filename=\"q;.png\"\r\nContent-Type: image/png\r\n\r\ninside\r\n",
            "name=\"c\"\r\n\r\ninside\r\n",
        ] {
            XCTAssertTrue(request.text.contains(part), request.text)
        }
    }

    func testAFileIsUploadedWithPUTUnderItsNameInAFolder() throws {
        server.route { _ in ScriptedResponse() }
        let file = try temporaryFile("content")
        _ = try freshet("get", "-T", file, "\(server.url)/folder/")
        _ = try freshet("get", "-T", "-", "\(server.url)/name", input: "typed")
        XCTAssertEqual(server.requests.map(\.method), [.put, .put])
        XCTAssertEqual(server.requests.map(\.target), ["/folder/file", "/name"])
        XCTAssertEqual(server.requests.map(\.text), ["content", "typed"])
    }

    func testABodyFromAPipeIsNeitherRedirectedNorRetried() throws {
        server.route(.put, "/a") { _ in ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/b"]) }
        let result = try freshet(
            "get", "-T", "-", "\(server.url)/a", input: String(repeating: "0123456789abcdef", count: 1 << 17))
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(
            result.errorOutput,
            "freshet: forbidden_redirect: the redirect with 307 is not followed, because the body came from a pipe and can't "
                + "be sent again; send it from a file (redirecting, PUT \(server.url)/a)\n")
        server.route(.put, "/b") { _ in ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]) }
        let refused = try freshet(
            "get", "-T", "-", "--retry", "2", "\(server.url)/b",
            input: String(repeating: "0123456789abcdef", count: 1 << 17))
        XCTAssertEqual(refused.status, 22)
        XCTAssertTrue(refused.errorOutput.contains("note: --retry did not apply, "), refused.errorOutput)
        XCTAssertEqual(server.requests.map(\.target), ["/a", "/b"])
    }

    func testAUserIsSentToTheOriginOfTheURLOnly() throws {
        let other = try ScriptedServer(on: loop)
        defer { other.close() }
        other.route { _ in ScriptedResponse() }
        server.enqueue(ScriptedResponse(status: .found, headers: [.location: other.url]))
        let result = try freshet("get", "-v", "-u", "name:pässword", server.url)
        XCTAssertEqual(
            server.requests[0].headers[.authorization], "Basic \(Data("name:pässword".utf8).base64EncodedString())")
        XCTAssertEqual(other.requests.count, 1)
        XCTAssertNil(other.requests[0].headers[.authorization])
        XCTAssertFalse(result.errorOutput.contains("pässword"))
        XCTAssertFalse(result.errorOutput.contains(Data("name:pässword".utf8).base64EncodedString()))
    }

    func testThePasswordOfAUserIsNotInTheListOfProcesses() throws {
        server.route { _ in .silence }
        for words in [["-u", "me:s3cret"], ["-ume:s3cret"], ["--user=me:s3cret"]] {
            let before = server.requestCount
            let run = try FreshetProcess(["get", server.url] + words)
            waitUntil("the request is there") { server.requestCount > before }
            let line = try String(contentsOfFile: "/proc/\(run.process.processIdentifier)/cmdline", encoding: .utf8)
            XCTAssertTrue(line.contains("me:") && !line.contains("s3cret"), line)
            run.process.terminate()
            _ = run.result()
        }
    }

    func testWithoutATerminalAUserWithoutAPasswordIsAnError() throws {
        let result = try freshet("get", "-u", "name", server.url)
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(result.errorOutput.contains("USER:PASSWORD"), result.errorOutput)
    }

    func testTheOptionISendsHEADAndWritesTheHead() throws {
        server.route { _ in ScriptedResponse(headers: [.server: "s"], body: "b") }
        let result = try freshet("get", "-I", server.url)
        XCTAssertEqual(server.requests[0].method, .head)
        XCTAssertTrue(result.text.lowercased().contains("server: s\r\n"), result.text)
        XCTAssertTrue(result.text.hasSuffix("\r\n\r\n"), result.text)
    }

    func testTheOptionONamesTheFileAfterTheLastSegmentOfThePath() throws {
        server.route { _ in ScriptedResponse(body: "content") }
        let directory = try temporaryDirectory()
        for (address, name) in [
            ("a/name.txt?q=/x", "name.txt"), ("für.txt", "für.txt"), ("f%C3%BCr.txt", "f%C3%BCr.txt"),
            // The mark combines with the slash before it.
            ("a/\u{308}.txt#/", "\u{308}.txt"),
        ] {
            let run = try FreshetProcess(["get", "-sO", "\(server.url)/\(address)"], in: directory)
            XCTAssertEqual(run.result().status, 0)
            XCTAssertEqual(
                try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8), "content", name)
        }
        for path in ["/", "/a/", "/a/.."] {
            let refused = try FreshetProcess(["get", "-O", server.url + path], in: directory).result()
            // The name of the uploaded file would be that of the response, which would replace it.
            let uploading = try FreshetProcess(["get", "-O", "-T", "/etc/hostname", server.url + path], in: directory)
            XCTAssertEqual(uploading.result().status, 2, path)
            XCTAssertEqual(refused.status, 2, path)
            XCTAssertTrue(refused.errorOutput.contains("-o FILE"), refused.errorOutput)
        }
    }

    func testTheBodyOfAFailureIsNotWrittenWithTheOptionF() throws {
        server.route { _ in ScriptedResponse(status: .notFound, body: "page") }
        let file = try temporaryDirectory().appendingPathComponent("file").path
        for words in [["-f"], ["-fo", file], ["-fio", file]] {
            let result = try freshet(["get", server.url] + words)
            XCTAssertEqual(result.status, 22)
            XCTAssertFalse(result.text.contains("page"))
            XCTAssertTrue(
                result.errorOutput.hasPrefix("freshet: status: the server responded with 404; leave --fail out"),
                result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("GET \(server.url)/)"), result.errorOutput)
            XCTAssertFalse(FileManager.default.fileExists(atPath: file))
        }
        XCTAssertEqual(try freshet("get", "-fs", server.url).errorOutput, "")
    }

    func testANoteNamesTheFileWithTheBodyOfAFailure() throws {
        server.route { _ in ScriptedResponse(status: .notFound, body: "page") }
        let file = try temporaryDirectory().appendingPathComponent("file").path
        let result = try freshet("get", server.url, "-o", file)
        XCTAssertEqual(result.status, 22)
        XCTAssertTrue(result.errorOutput.contains("404; the body is in \(file)"), result.errorOutput)
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "page")
    }

    func testSilentModeSuppressesErrorsUnlessTheyAreRequested() throws {
        let closed = "http://127.0.0.1:1/"
        XCTAssertEqual(try freshet("get", "-s", closed).errorOutput, "")
        let result = try freshet("get", "-sS", closed)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: connect"), result.errorOutput)
    }

    func testAURLWithoutASchemeUsesHTTP() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        let address = String(server.url.dropFirst("http://".count))
        XCTAssertEqual(try freshet("get", "\(address)/a?to=http://x/").text, "b")
        XCTAssertEqual(server.requests[0].target, "/a?to=http://x/")
    }

    func testBinaryBytesAreNotWrittenToATerminal() throws {
        server.route { _ in ScriptedResponse(body: "a\0b") }
        let terminal = try Terminal()
        let redirection = ">/proc/\(getpid())/fd/\(terminal.end.fileDescriptor)"
        let result = try FreshetProcess(["get", server.url], redirection: redirection).result()
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("-o FILE"), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("GET \(server.url)/"), result.errorOutput)
        XCTAssertEqual(
            try FreshetProcess(["get", server.url, "-o", "-"], redirection: redirection).result().status, 0)
        XCTAssertEqual(try freshet("get", server.url).text, "a\0b")
    }

    func testAWrittenAuthorizationWinsOverAUser() throws {
        server.route { _ in ScriptedResponse() }
        for words in [["-u", "u:p", "-H", "Authorization: Bearer x"], ["-H", "Authorization: Bearer x", "-u", "u:p"]] {
            XCTAssertEqual(try freshet(["get", server.url] + words).status, 0)
        }
        XCTAssertEqual(server.requests.map(\.bearerToken), ["x", "x"])
    }

    func testOptionsThatExcludeEachOtherAreNamed() throws {
        for (words, expected) in [
            (["-d", "a", "-F", "b=c"], "the data of -d and --form exclude each other"),
            (["-G", "--json", "{}"], "--get and --json exclude each other"),
            (["--json", "{}", "-T", "file"], "--json and --upload-file each make a body"),
            (["-I", "-d", "a"], "leave the data out, or add --get"),
        ] {
            let result = try freshet(["get", server.url] + words)
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains(expected), result.errorOutput)
        }
        let folder = try freshet("get", server.url, "-o", ".")
        XCTAssertTrue(folder.errorOutput.contains("Is a directory; name a file in it"), folder.errorOutput)
        XCTAssertEqual(server.requestCount, 0)
    }

    func testOptionsOfASingleRequestAreExplainedForLines() throws {
        for option in ["-H", "-X", "-d", "-b", "--json"] {
            let result = try freshet("run", option, "x")
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains("In place of \(option): each line of run"), result.errorOutput)
        }
        XCTAssertTrue(try freshet("run", "-o", "x").errorOutput.contains("redirect it with > FILE"))
    }

    func testARefusedCurlOptionIsReportedWithItsAlternative() throws {
        for (word, advice) in [
            ("-b", "Cookie:"), ("--cookie-jar", "profile"), ("-C", "--resume"), ("--digest", "Basic"),
            ("--oauth2-bearer", "--profile"), ("-w%{http_code}", "freshet run"), ("-bn=s3cret", "Cookie:"),
            ("-Z", "freshet run"), ("-n", "-u"),
        ] {
            let result = try freshet("get", server.url, word)
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains("In place of curl's "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains(advice), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
        }
    }

    func testAQueryFromAnotherKindOfBodyIsRefused() throws {
        for words in [["--json", "{}"], ["-F", "a=b"]] {
            XCTAssertEqual(try freshet(["get", "-G", server.url] + words).status, 2)
        }
    }

    func testOptionsThatExcludeEachOtherAreRefused() throws {
        for words in [
            ["--json", "1", "-d", "2"], ["-F", "a=b", "-T", "f"], ["-I", "-d", "a"], ["-I", "-X", "GET"],
            ["-O", "-o", "f"], ["-F", "none"],
        ] {
            XCTAssertEqual(try freshet(["get", server.url] + words).status, 2, "\(words)")
        }
        XCTAssertEqual(server.requests.count, 0)
    }
}
