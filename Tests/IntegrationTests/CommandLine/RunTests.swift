import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class RunTests: CommandLineTestCase {
    private func line(_ path: String, id: Int = 0) -> String {
        "{\"id\": \(id), \"url\": \"\(server.url)\(path)\"}\n"
    }

    func testALineHasItsMembersInOrder() throws {
        server.enqueue(ScriptedResponse(headers: [.contentType: "text/plain"], body: "a\"b\n\u{1}é"))
        let result = try freshet("run", input: "{\"url\":\"\(server.url)/\",\"id\":7,\"unknown\":[{}]}\n")
        XCTAssertEqual(result.status, 0)
        let pattern =
            #"^\{"id":7,"status":200,"headers":\{.*"content-type":"text/plain".*\},"body":"a\\"b\\n\\u0001é","#
            + #""attempts":1,"refreshes":0,"duration_ms":\d+\.\d{1,3},"error":null\}\n$"#
        XCTAssertNotNil(result.text.range(of: pattern, options: .regularExpression), result.text)
    }

    func testMethodHeadersAndBodiesAreSentAsGiven() throws {
        server.route { _ in ScriptedResponse() }
        let result = try freshet(
            "run", "--concurrency", "1",
            input: """
                {"url": "\(server.url)/1", "method": "PATCH", "headers": {"X-A": "b", "X-B": ["c", "d"]}, "body": "é\\u00e9"}
                {"url": "\(server.url)/2", "method": "POST", "body_base64": "AP8=", "headers": null, "body": null}
                {"url": "\(server.url)/3"}
                """)
        XCTAssertEqual(result.status, 0, result.text)
        XCTAssertEqual(server.requests.map(\.method), [.patch, .post, .get])
        XCTAssertEqual(server.requests.map(\.body), [Array("éé".utf8), [0, 255], []])
        XCTAssertEqual(server.requests[0].headers[values: .init("X-B")!], ["c", "d"])
        XCTAssertNil(server.requests[0].headers[.contentType])
    }

    func testAnUnknownMemberThatReplacesNoOtherIsLeftOut() throws {
        server.route { _ in ScriptedResponse() }
        let members = [
            #""method": "POST", "body": "a", "data": "x""#, #""method": "POST", "meta": {}, "Data": "x""#,
            #""data": "x""#,
            #""method": "DELETE", "json": {}"#, #""method": "PUT", "body_base64": "", "form": {}"#,
            #""id": 1, "ID": 2"#,
            #""URL": 1, "headers": {}, "Headers": {"A": "b"}"#,
        ]
        let input = members.map { "{\"url\": \"\(server.url)/\", \($0)}" }.joined(separator: "\n")
        let result = try freshet("run", input: input)
        XCTAssertEqual(result.objects.map { $0["status"] as? Int }, members.map { _ in 200 }, result.text)
    }

    func testHeadersAreJoinedAndCookiesAreAList() throws {
        var headers: HTTPFields = [.vary: "A", .setCookie: "a=1"]
        headers.append(HTTPField(name: .vary, value: "B"))
        headers.append(HTTPField(name: .setCookie, value: "b=2"))
        server.enqueue(ScriptedResponse(headers: headers))
        let response = try freshet("run", input: line("/")).objects[0]["headers"] as? [String: Any]
        XCTAssertEqual(response?["vary"] as? String, "A, B")
        XCTAssertEqual(response?["set-cookie"] as? [String], ["a=1", "b=2"])
    }

    func testABodyThatIsNotUTF8IsWrittenInBase64() throws {
        server.enqueue(ScriptedResponse(pieces: [[0x61, 0xFF, 0x00]]))
        let object = try freshet("run", input: line("/")).objects[0]
        XCTAssertEqual(object["body_base64"] as? String, "Yf8A")
        XCTAssertNil(object["body"])
    }

    func testAnyStatusIsAResponseWithoutAnError() throws {
        server.enqueue(ScriptedResponse(status: .unauthorized, body: "no"))
        let result = try freshet("run", input: line("/"))
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.objects[0]["status"] as? Int, 401)
        XCTAssertTrue(result.objects[0]["error"] is NSNull)
    }

    func testATruncatedResponseKeepsItsHeadAndHasAnError() throws {
        server.enqueue(ScriptedResponse(body: "12345").truncated(after: 2))
        let result = try freshet("run", input: line("/"))
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.objects[0]["status"] as? Int, 200)
        XCTAssertTrue(result.objects[0]["body"] is NSNull)
        XCTAssertEqual((result.objects[0]["error"] as? [String: String])?["code"], "connection_lost")
    }

    func testABodyOverTheLimitFailsWithTooLargeAndTheOthersContinue() throws {
        server.route { ScriptedResponse(body: String(repeating: "a", count: $0.path == "/big" ? 11 : 10)) }
        let result = try freshet("run", "--max-body", "10", "--ordered", input: line("/") + line("/big") + line("/"))
        XCTAssertEqual(result.status, 1)
        let codes = result.objects.map { ($0["error"] as? [String: String])?["code"] }
        XCTAssertEqual(codes, [nil, "too_large", nil])
        XCTAssertTrue(result.lines[1].contains("with --max-body BYTES"), result.lines[1])
        XCTAssertTrue(result.lines[1].contains("GET \(server.url)/big"), result.lines[1])
    }

    func testRetriesAreCounted() throws {
        server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]), ScriptedResponse())
        let object = try freshet("run", "--retry", "1", input: line("/")).objects[0]
        XCTAssertEqual(object["attempts"] as? Int, 2)
        XCTAssertEqual(object["refreshes"] as? Int, 0)
    }

    func testAnUnsentRequestIsNotCountedAsAnAttempt() throws {
        let nowhere = "{\"url\": \"http://127.0.0.1:1/\"}\n"
        XCTAssertEqual(try freshet("run", input: nowhere).objects[0]["attempts"] as? Int, 0)
        let retried = try freshet("run", "--retry", "1", input: nowhere).objects[0]
        XCTAssertEqual(retried["attempts"] as? Int, 0)
        XCTAssertEqual((retried["error"] as? [String: String])?["code"], "connect")
        server.enqueue(ScriptedResponse(status: .found, headers: [.location: "http://127.0.0.1:1/"]), .close, .close)
        XCTAssertEqual(try freshet("run", input: line("/")).objects[0]["attempts"] as? Int, 1, "a redirect was")
        XCTAssertEqual(try freshet("run", input: line("/")).objects[0]["attempts"] as? Int, 1)
    }

    func testNoMoreRequestsThanAllowedRunAtOnce() throws {
        let barrier = Barrier()
        server.route { _ in ScriptedResponse().delayed(until: barrier) }
        let run = try FreshetProcess(["run", "--concurrency", "3"])
        try run.write((0..<10).map { line("/", id: $0) }.joined())
        waitUntil("three wait") { barrier.waiting == 3 }
        waitUntilStill("the requests") { server.requestCount }
        XCTAssertEqual(server.requestCount, 3)
        barrier.release()
        try run.input.fileHandleForWriting.close()
        XCTAssertEqual(Set(run.result().objects.map { $0["id"] as? Int }), Set(0..<10))
        // The test counts connections with requests. A test in another process that looks for a free port may connect as well.
        XCTAssertEqual(Set(server.requests.map(\.connection)).count, 3)
    }

    func testAsManyRequestsToOneOriginAsAllowedRunAtOnce() throws {
        let barrier = Barrier()
        server.route { _ in ScriptedResponse().delayed(until: barrier) }
        let run = try FreshetProcess(["run", "--concurrency", "100"])
        try run.write((0..<100).map { line("/", id: $0) }.joined())
        try run.input.fileHandleForWriting.close()
        waitUntil("all wait") { barrier.waiting == 100 }
        barrier.release()
        XCTAssertEqual(run.result().lines.count, 100)
    }

    func testAResponseIsWrittenBeforeTheInputEnds() throws {
        server.route { _ in ScriptedResponse() }
        let run = try FreshetProcess(["run"])
        try run.write(line("/", id: 5))
        let first = run.output.fileHandleForReading.availableData
        XCTAssertTrue(String(decoding: first, as: UTF8.self).hasPrefix("{\"id\":5,"))
        try run.input.fileHandleForWriting.close()
        XCTAssertEqual(run.result().status, 0)
    }

    func testTheOptionOrderedKeepsTheOrderOfTheInput() throws {
        let first = Barrier()
        server.route(nil, "/0") { _ in ScriptedResponse().delayed(until: first) }
        server.route { _ in ScriptedResponse() }
        let run = try FreshetProcess(["run", "--ordered", "--concurrency", "4"])
        try run.write((0..<100).map { line($0 == 0 ? "/0" : "/", id: $0) }.joined())
        try run.input.fileHandleForWriting.close()
        waitUntil("the others are through") { server.requestCount == 4 }
        first.release()
        XCTAssertEqual(run.result().objects.map { $0["id"] as? Int }, Array(0..<100))
    }

    func testALimitOfOpenFilesLosesNoLine() throws {
        server.route { _ in ScriptedResponse(body: "a").after(.milliseconds(5)) }
        let input = (0..<300).map { line("/", id: $0) }.joined()
        let result = try freshet(withOpenFiles: 64, "run", "--concurrency", "200", input: input)
        XCTAssertEqual(result.lines.count, 300)
        XCTAssertEqual(result.status, 0, result.text)
    }

    func testASlowReaderHoldsTheRequestsAndTheInput() throws {
        server.route { _ in ScriptedResponse(body: String(repeating: "a", count: 100_000)) }
        let run = try FreshetProcess(["run", "--concurrency", "2"])
        let writing = run.input.fileHandleForWriting
        let lines = Data((0..<300).map { line("/", id: $0) }.joined().utf8)
        DispatchQueue.global().async {
            try? writing.write(contentsOf: lines)
            try? writing.close()
        }
        waitUntil("something is asked") { server.requestCount > 0 }
        waitUntilStill("the requests") { server.requestCount }
        XCTAssertLessThan(server.requestCount, 50)
        let result = run.result()
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.lines.count, 300)
    }

    func testAClosedOutputEndsTheCommandWithoutAnError() throws {
        server.route { _ in ScriptedResponse(body: String(repeating: "a", count: 100_000)) }
        let run = try FreshetProcess(["run"])
        try run.write((0..<50).map { line("/", id: $0) }.joined())
        _ = run.output.fileHandleForReading.readData(ofLength: 10)
        try run.output.fileHandleForReading.close()
        let result = run.result(readingOutput: false)
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.errorOutput, "")
    }

    func testNothingIsSentAfterTheOutputIsClosed() throws {
        server.route { _ in ScriptedResponse(body: "a") }
        let run = try FreshetProcess(["run"], redirection: "| head -n 3")
        let writing = run.input.fileHandleForWriting
        let lines = Data((0..<1_000).map { line("/", id: $0) }.joined().utf8)
        DispatchQueue.global().async {
            // The writes continue until the pipe breaks.
            while (try? writing.write(contentsOf: lines)) != nil {}
        }
        XCTAssertEqual(run.result().lines.count, 3)
        waitUntil("the connections are closed") { server.openConnections == 0 }
        try run.input.fileHandleForReading.close()
    }

    func testMemoryStaysFlatOverManyLines() throws {
        server.route { _ in ScriptedResponse(body: String(repeating: "a", count: 200)) }
        let run = try FreshetProcess(["run", "--concurrency", "64"])
        let writing = run.input.fileHandleForWriting
        let lines = Data((0..<5_000).map { line("/", id: $0) }.joined().utf8)
        let peak = DispatchQueue(label: "peak")
        nonisolated(unsafe) var peaks: [Int] = []
        nonisolated(unsafe) let measured = run
        DispatchQueue.global().async {
            for _ in 0..<4 {
                try? writing.write(contentsOf: lines)
                peak.sync { peaks.append((try? measured.peakMemory()) ?? 0) }
            }
            try? writing.close()
        }
        let result = run.result()
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.lines.count, 20_000)
        let seen = peak.sync { peaks }
        XCTAssertLessThan(seen[3], Sanitizer.memoryBound)
        XCTAssertLessThan(seen[3] - seen[0], 8 << 20, "\(seen)")
    }

    func testAnInterruptEndsTheCommandWithStatus130() throws {
        server.route { _ in .silence }
        let run = try FreshetProcess(["run"])
        try run.write(line("/") + line("/"))
        waitUntil("the requests are there") { server.requestCount == 2 }
        run.process.interrupt()
        XCTAssertEqual(run.result().status, 130)
        waitUntil("the connections are closed") { server.openConnections == 0 }
    }
}
