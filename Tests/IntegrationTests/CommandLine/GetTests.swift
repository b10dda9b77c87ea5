import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class GetTests: CommandLineTestCase {
    func testTheBodyIsWrittenByteForByte() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        server.enqueue(ScriptedResponse(pieces: [Array(bytes[..<77]), Array(bytes[77...])]))
        let result = try freshet("get", "\(server.url)/a?b=c")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(Array(result.output), bytes)
        XCTAssertEqual(result.errorOutput, "")
        XCTAssertEqual(server.requests[0].target, "/a?b=c")
        XCTAssertEqual(server.requests[0].method, .get)
    }

    func testAStatusFrom400IsExitStatus22AndTheBodyIsStillWritten() throws {
        for status in [HTTPResponse.Status.badRequest, .notFound, .internalServerError] {
            server.enqueue(ScriptedResponse(status: status, body: "why"))
            let result = try freshet("get", server.url)
            XCTAssertEqual(result.status, 22)
            XCTAssertEqual(result.text, "why")
        }
        server.enqueue(ScriptedResponse(status: .multipleChoices, body: "choose"))
        XCTAssertEqual(try freshet("get", server.url).status, 0)
    }

    func testAStatusFrom400WithoutABodyCausesANote() throws {
        server.enqueue(ScriptedResponse(status: .notFound))
        let result = try freshet("get", server.url)
        XCTAssertEqual(result.status, 22)
        XCTAssertEqual(result.errorOutput, "freshet: note: the server responded with 404, and the body is empty\n")
    }

    func testTheOptionIWritesTheHeadFirst() throws {
        server.enqueue(
            ScriptedResponse(status: .created, headers: [.server: "s", .contentType: "text/plain"], body: "b"))
        let text = try freshet("get", "-i", server.url).text
        XCTAssertTrue(text.hasPrefix("HTTP/1.1 201 Created\r\n"), text)
        XCTAssertTrue(text.lowercased().contains("content-type: text/plain\r\n"), text)
        XCTAssertTrue(text.hasSuffix("\r\n\r\nb"), text)
    }

    func testMethodHeadersAndBodyAreSentAsGiven() throws {
        server.route { _ in ScriptedResponse() }
        _ = try freshet(
            "get", server.url, "-X", "PUT", "-H", "X-A: b c ", "-H", "x-a: d", "-H", "Empty;", "-H", "Accept-Encoding:",
            "-d",
            "é\n")
        let request = server.requests[0]
        XCTAssertEqual(request.method, .put)
        XCTAssertEqual(request.headers[values: .init("X-A")!], ["b c", "d"])
        XCTAssertEqual(request.headers[.init("Empty")!], "")
        XCTAssertNil(request.headers[.init("X-Left-Out")!])
        XCTAssertEqual(request.text, "é\n")
    }

    func testABodyIsSentAsAFormByPOSTUnlessOptionsChangeThat() throws {
        server.route { _ in ScriptedResponse() }
        _ = try freshet("get", server.url, "-d", "a=1", "-d", "b=2")
        _ = try freshet("get", server.url, "-d", "{}", "-H", "content-type: application/json")
        XCTAssertEqual(server.requests.map(\.method), [.post, .post])
        XCTAssertEqual(server.requests.map(\.text), ["a=1&b=2", "{}"])
        XCTAssertEqual(
            server.requests.map { $0.headers[.contentType] }, ["application/x-www-form-urlencoded", "application/json"])
    }

    func testABodyIsReadFromAFileOrFromTheStandardInput() throws {
        server.route { _ in ScriptedResponse() }
        _ = try freshet("get", server.url, "-d", "@\(temporaryFile("from\r\na file\n"))")
        _ = try freshet("get", server.url, "-d", "-", input: "from\nthe input\n")
        XCTAssertEqual(server.requests.map(\.text), ["from\r\na file\n", "from\nthe input\n"])
    }

    func testALargeBodyIsStreamedFromAFileOrFromTheStandardInput() throws {
        server.route { _ in ScriptedResponse() }
        let text = String(repeating: "0123456789abcdef", count: 200_000)
        _ = try freshet("get", server.url, "-X", "PUT", "-d", "@\(temporaryFile(text))")
        _ = try freshet("get", server.url, "-X", "PUT", "-d", "@-", input: text)
        XCTAssertTrue(server.requests.allSatisfy { $0.text == text })
        XCTAssertEqual(server.requests.map { $0.headers[.contentLength] }, ["3200000", nil])
        XCTAssertEqual(server.requests.map { $0.headers[.transferEncoding] }, [nil, "chunked"])
        XCTAssertEqual(
            server.requests.map { $0.headers[.contentType] },
            ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded"])
    }

    func testADownloadThatTimesOutSuggestsOptions() throws {
        server.enqueue(ScriptedResponse(body: "12345").pausing(after: 2, until: Barrier()))
        let file = try temporaryDirectory().appendingPathComponent("file").path
        let result = try freshet("get", server.url, "-o", file, "--timeout", "0.3")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.contains("allow the request more time with --timeout SECONDS ("), result.errorOutput)
        XCTAssertTrue(result.errorOutput.contains("note: what came is deleted; --resume keeps it"), result.errorOutput)
    }

    func testAFullDiskFailsWithOverloaded() throws {
        server.route { _ in ScriptedResponse(body: "12345") }
        let input = "{\"url\": \"\(server.url)\"}\n"
        for arguments in [["get", server.url, "-o", "/dev/full"], ["get", server.url], ["run"]] {
            let run = try FreshetProcess(arguments, redirection: ">/dev/full")
            if arguments == ["run"] { try run.write(input) }
            try run.input.fileHandleForWriting.close()
            let result = run.result()
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: overloaded: "), "\(arguments) \(result.errorOutput)")
            XCTAssertTrue(result.errorOutput.contains("make room"), result.errorOutput)
            if arguments[0] == "get" {
                XCTAssertTrue(result.errorOutput.contains("(storing, GET \(server.url)/)"), result.errorOutput)
            }
        }
    }

    func testAFileIsReplacedWhenTheDownloadIsComplete() throws {
        let file = try temporaryFile("old")
        server.enqueue(ScriptedResponse(body: "new"))
        let result = try freshet("get", server.url, "-o", file)
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.text, "")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "new")
    }

    func testAnIncompleteDownloadLeavesTheFileUnchanged() throws {
        let file = try temporaryFile("old")
        server.enqueue(ScriptedResponse(body: "new and longer").truncated(after: 5))
        let result = try freshet("get", server.url, "-o", file)
        XCTAssertEqual(result.status, 1)
        let note =
            "freshet: note: what came is deleted; --resume keeps it, and goes on from there the next time\n"
        XCTAssertTrue(result.errorOutput.hasPrefix("\(note)freshet: connection_lost: "), result.errorOutput)
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "old")
        let directory = URL(fileURLWithPath: file).deletingLastPathComponent().path
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory), ["file"])
    }

    func testAnIncompleteDownloadIsResumedWithTheOptionResume() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        let tag: HTTPFields = [.eTag: "\"v1\""]
        server.enqueue(ScriptedResponse(headers: tag, body: "hello world").truncated(after: 5))
        let first = try freshet("get", server.url, "-o", file, "--resume")
        XCTAssertEqual(first.status, 1)
        XCTAssertTrue(
            first.errorOutput.contains("note: \(file).part has what came; the same command goes on from there"),
            first.errorOutput)
        XCTAssertFalse(FileManager.default.fileExists(atPath: file))
        server.enqueue(ScriptedResponse(status: .notFound, headers: tag, body: "no"))
        let missing = try freshet("get", server.url, "-o", file, "--resume")
        XCTAssertEqual(missing.status, 22)
        XCTAssertTrue(
            missing.errorOutput.contains("the part of 5 bytes is kept in \(file).part"), missing.errorOutput)
        XCTAssertFalse(missing.errorOutput.contains("the body is empty"), missing.errorOutput)
        var rest = ScriptedResponse(status: .partialContent, headers: tag, body: " world")
        rest.headers[.contentRange] = "bytes 5-10/11"
        server.enqueue(rest)
        let result = try freshet("get", server.url, "-o", file, "--resume")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests.last?.headers[.range], "bytes=5-")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "hello world")
        let directory = URL(fileURLWithPath: file).deletingLastPathComponent().path
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory), ["file"])
        XCTAssertEqual(try freshet("get", server.url, "--resume").status, 2)
    }

    func testAPartThatCannotBeResumedIsKeptWithANote() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        server.enqueue(ScriptedResponse(headers: [.eTag: "W/\"v1\""], body: "hello world").truncated(after: 5))
        let result = try freshet("get", server.url, "-o", file, "--resume")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("note: \(file).part has what came"), result.errorOutput)
        XCTAssertEqual(try String(contentsOfFile: "\(file).part", encoding: .utf8), "hello")
        let other = try freshet("get", "http://127.0.0.1:1/", "-o", file, "--resume")
        XCTAssertTrue(other.errorOutput.contains("note: \(file).part is as it was before"), other.errorOutput)
        XCTAssertEqual(try String(contentsOfFile: "\(file).part", encoding: .utf8), "hello")
    }

    func testADeviceIsWrittenAndNotReplaced() throws {
        server.enqueue(ScriptedResponse(body: "gone"))
        XCTAssertEqual(try freshet("get", server.url, "-o", "/dev/null").status, 0)
        XCTAssertFalse(
            try URL(fileURLWithPath: "/dev/null").resourceValues(forKeys: [.isRegularFileKey]).isRegularFile!)
    }

    func testRetriesAreLimitedByTheOption() throws {
        let busy = ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"])
        server.enqueue(busy, busy, ScriptedResponse(body: "at last"))
        XCTAssertEqual(try freshet("get", server.url, "--retry", "2").text, "at last")
        server.enqueue(busy, busy, ScriptedResponse(body: "not asked"))
        XCTAssertEqual(try freshet("get", server.url, "--retry", "1").status, 22)
        XCTAssertEqual(server.requestCount, 5)
    }

    func testARetryThatTheTimeoutLeavesNoTimeForIsNoted() throws {
        let note = "note: --retry did not wait, because the server asks for more than --timeout leaves"
        for (delay, isNoted) in [("600", true), ("0", false)] {
            let busy = ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: delay], body: "slow")
            server.enqueue(busy)
            if !isNoted { server.enqueue(busy) }
            let result = try freshet("get", server.url, "--retry", "1")
            XCTAssertEqual(result.status, 22)
            XCTAssertEqual(result.text, "slow")
            XCTAssertEqual(result.errorOutput.contains(note), isNoted, result.errorOutput)
        }
    }

    func testAPOSTIsRetriedOnlyWhenThatIsSafeOrRequested() throws {
        let failed = ScriptedResponse(status: .badGateway, headers: [.retryAfter: "0"])
        server.enqueue(failed)
        let refused = try freshet("get", server.url, "-d", "a", "--retry", "1")
        XCTAssertEqual(refused.status, 22)
        XCTAssertTrue(refused.errorOutput.contains("--retry-all sends it again"), refused.errorOutput)
        XCTAssertEqual(server.requestCount, 1)
        server.enqueue(.close)
        let lost = try freshet("get", server.url, "-d", "a", "--retry", "1")
        XCTAssertTrue(lost.errorOutput.contains("--retry-all sends it again"), lost.errorOutput)
        server.enqueue(failed, ScriptedResponse())
        XCTAssertEqual(try freshet("get", server.url, "-d", "a", "--retry", "1", "--retry-all").status, 0)
        server.enqueue(ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: "0"]), ScriptedResponse())
        XCTAssertEqual(try freshet("get", server.url, "-d", "a", "--retry", "1").status, 0)
    }

    func testTheTraceContainsNoSecrets() throws {
        server.route { request in
            request.path == "/"
                ? ScriptedResponse(status: .found, headers: [.location: "/b?code=s3cret"])
                : ScriptedResponse(headers: [.setCookie: "s3cret", .contentType: "text/plain"], body: "body")
        }
        let result = try freshet(
            "get", "-v", "\(server.url)/?key=s3cret", "-H", "Authorization: Bearer s3cret", "-H", "X-Key: s3cret",
            "-H", "Accept: text/plain")
        XCTAssertEqual(result.text, "body")
        for line in [
            "* attempt 1: \(server.url)", "> GET /?key=(not shown)\n", "> Accept: text/plain",
            "> Authorization: (not shown)",
            "> X-Key: (not shown)", "* connected to 127.0.0.1", "* 302 Found: redirected to \(server.url)/b",
            "< 200 OK",
            "< Content-Type: text/plain", "< Set-Cookie: (not shown)", "* head after",
        ] {
            XCTAssertTrue(
                result.errorOutput.lowercased().contains(line.lowercased()), "\(line) in \(result.errorOutput)")
        }
        XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
    }

    func testClosedStandardDescriptorsCauseNoCrash() throws {
        server.route { _ in ScriptedResponse(body: "a") }
        for (redirection, status) in [(">&-", 1), ("<&-", 0), ("2>&-", 0), (">/dev/full", 1)] {
            let run = try FreshetProcess(["get", server.url], redirection: redirection)
            let result = run.result()
            XCTAssertEqual(result.status, Int32(status), "\(redirection): \(result.errorOutput)")
            if status == 1 { XCTAssertTrue(result.errorOutput.contains("the output can't be written"), redirection) }
        }
    }

    func testAnUnreadBodyIsHeldAtTheServer() throws {
        server.enqueue(.repeating(Array(repeating: 65, count: 64 * 1024), times: 2048))
        let run = try FreshetProcess(["get", server.url])
        _ = run.output.fileHandleForReading.readData(ofLength: 1 << 20)
        waitUntilStill("the memory") { (try? run.peakMemory()) ?? 0 }
        let peak = try run.peakMemory()
        XCTAssertLessThan(peak, Sanitizer.memoryBound)
        let result = run.result()
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.output.count, 127 << 20)
    }

    func testAClosedOutputEndsTheCommandWithoutAnError() throws {
        server.enqueue(.repeating(Array(repeating: 65, count: 64 * 1024), times: 1 << 14))
        let run = try FreshetProcess(["get", server.url])
        _ = run.output.fileHandleForReading.readData(ofLength: 10)
        try run.output.fileHandleForReading.close()
        let result = run.result(readingOutput: false)
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.errorOutput, "")
    }

    func testAFileBehindADescriptorIsNotReplaced() throws {
        server.route(.get, "/") { _ in ScriptedResponse(body: "body\n") }
        for name in ["/dev/stdout", "/dev/fd/1"] {
            let log = try temporaryDirectory().appendingPathComponent("log").path
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = [
                "-c", "(echo start; \"$0\" get \"$1\" -o \"$2\"; echo end) >> \"$3\"", FreshetProcess.executable.path,
                server.url,
                name, log,
            ]
            try shell.run()
            shell.waitUntilExit()
            XCTAssertEqual(try String(contentsOfFile: log, encoding: .utf8), "start\nbody\nend\n", name)
        }
    }
}
