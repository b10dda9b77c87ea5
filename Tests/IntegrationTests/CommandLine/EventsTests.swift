import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests `freshet events` on servers that require no token.
final class EventsTests: CommandLineTestCase {
    private func events(_ pieces: String..., type: String = "text/event-stream") -> ScriptedResponse {
        ScriptedResponse(headers: [.contentType: type], pieces: pieces.map { Array($0.utf8) })
    }

    private var lastEventIDs: [String?] { server.requests.map { $0.headers[.init("Last-Event-ID")!] } }

    func testEachEventIsWrittenAsALine() throws {
        server.enqueue(
            events("event: greeting\nid: 1\ndata: \"hé\ndata: llo\\\n\n", "data: b\n\n:", "\n\nid\ndata\n\n"))
        let result = try freshet("events", server.url, "--no-reconnect")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(
            result.lines,
            [
                #"{"type":"greeting","data":"\"hé\nllo\\","id":"1"}"#, #"{"type":"message","data":"b","id":"1"}"#,
                #"{"type":"message","data":"","id":""}"#,
            ])
        XCTAssertEqual(result.errorOutput, "")
        XCTAssertEqual(server.requests[0].headers[.accept], "text/event-stream")
        XCTAssertEqual(lastEventIDs, [nil])
    }

    func testALostOrEndedConnectionIsReopenedFromTheLastID() throws {
        server.enqueue(
            events("retry: 10\nid: 1\ndata: a\n\n", "data: half"),
            events("id: 2\ndata: b\n\n", "data").reset(after: 17),
            .close,
            events("data: c\n\ndata: d\n\n"))
        let result = try freshet("events", server.url, "--limit", "3", "--last-event-id", "0")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.map { $0["data"] as? String }, ["a", "b", "c"])
        XCTAssertEqual(result.objects.map { $0["id"] as? String }, ["1", "2", "2"])
        XCTAssertEqual(lastEventIDs, ["0", "1", "2", "2"])
        XCTAssertTrue(result.errorOutput.contains("freshet: note: connection_lost: "), result.errorOutput)
    }

    func testAReconnectionThatResendsABodyCausesOneNote() throws {
        for word in ["a", "b", "c"] { server.enqueue(events("retry: 10\ndata: \(word)\n\n")) }
        let result = try freshet("events", server.url, "--limit", "3", "-d", "q")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests.map(\.text), ["q", "q", "q"])
        XCTAssertEqual(
            result.errorOutput,
            "freshet: note: each reconnection sends the POST again; --no-reconnect sends it once\n")
    }

    func testAnIDWithControlCharactersIsReportedAndSent() throws {
        server.enqueue(events("retry: 10\nid: a\u{1B}\ndata: a\n\n"), events("data: b\n\n"))
        let result = try freshet("events", server.url, "--limit", "2")
        XCTAssertEqual(result.objects.map { $0["id"] as? String }, ["a\u{1B}", "a\u{1B}"], result.errorOutput)
        let field = server.requests.last?.headers[fields: HTTPField.Name("Last-Event-ID")!].first
        XCTAssertEqual(field?.withUnsafeBytesOfValue { Array($0) }, Array("a\u{1B}".utf8))
    }

    func testAnEndlessStreamEndsAtTheLimit() throws {
        let barrier = Barrier()
        server.enqueue(events("data: a\n\ndata: b\n\n", "data: c\n\n").pausing(after: 18, until: barrier))
        let result = try freshet("events", server.url, "--limit", "2")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.lines.count, 2)
        waitUntil("it has left") { self.server.abandoned.count == 1 }
    }

    func testNoContentEndsTheStreamWithSuccess() throws {
        server.enqueue(events("retry: 10\ndata: a\n\n"), ScriptedResponse(status: .noContent))
        let result = try freshet("events", server.url)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.lines.count, 1)
    }

    func testARefusedStatusOrTypeEndsTheStreamWithAFailure() throws {
        for response in [
            ScriptedResponse(status: .internalServerError), ScriptedResponse(status: .unauthorized),
            events("data: a\n\n", type: "text/plain"), ScriptedResponse(body: "data: a\n\n"),
        ] {
            server.enqueue(response)
            let result = try freshet("events", server.url)
            XCTAssertEqual(result.status, 1)
            XCTAssertEqual(result.text, "")
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: status: "), result.errorOutput)
            let isForLater = response.status == .internalServerError
            XCTAssertEqual(result.errorOutput.contains("try again later"), isForLater, result.errorOutput)
        }
        XCTAssertEqual(server.requests.count, 4)
        server.enqueue(events("retry: 10\ndata: a\n\n"), ScriptedResponse(status: .badGateway))
        let result = try freshet("events", server.url)
        XCTAssertEqual(result.status, 1, "later ones too")
        XCTAssertEqual(result.lines.count, 1)
    }

    func testALongWaitBeforeARetryIsNoted() throws {
        server.enqueue(
            ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "2"]), events("data: a\n\n"))
        let result = try freshet("events", server.url, "--retry", "1", "--limit", "1")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(
            result.errorOutput.contains("note: responded with 503 Service Unavailable; trying again in 2"),
            result.errorOutput)
    }

    func testARefusalThatATryLaterMayCureNamesTheOptionForThat() throws {
        server.route { _ in ScriptedResponse(status: .badGateway, headers: [.retryAfter: "0"]) }
        for (words, isNamed) in [([], true), (["--retry", "1"], false), (["-d", "x"], false)] {
            let result = try freshet(["events", server.url] + words)
            XCTAssertEqual(result.errorOutput.contains("or several times with --retry N"), isNamed, result.errorOutput)
        }
    }

    func testARefusalWithABodySaysHowToReadIt() throws {
        for body in ["", #"{"error":{"message":"no such model"}}"#] {
            server.enqueue(ScriptedResponse(status: .badRequest, body: body))
            let result = try freshet("events", server.url)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: status: "), result.errorOutput)
            XCTAssertEqual(
                result.errorOutput.contains("or read its body with freshet get"), !body.isEmpty, result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("model"), result.errorOutput)
        }
    }

    func testAFailedFirstConnectionIsAFailure() throws {
        server.enqueue(.close)
        let result = try freshet("events", server.url)
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: connection_lost: "), result.errorOutput)
        XCTAssertEqual(server.requests.count, 1)
        XCTAssertEqual(try freshet("events", "http://127.0.0.1:1/").status, 1)
    }

    func testWithoutReconnectionALostConnectionIsAFailure() throws {
        server.enqueue(events("data: a\n\n", "data: b").truncated(after: 12))
        let result = try freshet("events", server.url, "--no-reconnect")
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.lines.count, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: connection_lost: "), result.errorOutput)
    }

    func testMethodHeadersAndBodyAreSentWithEachConnection() throws {
        server.enqueue(events("retry: 10\n\n"), events("data: a\n\n"))
        _ = try freshet("events", server.url, "--limit", "1", "-H", "X-A: b", "-d", "q")
        for request in server.requests {
            XCTAssertEqual(request.method, .post)
            XCTAssertEqual(request.headers[.init("X-A")!], "b")
            XCTAssertEqual(request.text, "q")
        }
        XCTAssertEqual(server.requests.count, 2)
    }

    func testTheTimeoutEndsWithTheHead() throws {
        server.enqueue(.silence)
        let result = try freshet("events", server.url, "--timeout", "0.3")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: timeout: "), result.errorOutput)
        server.enqueue(events("data: a\n\n", "data: b\n\n").pausing(.seconds(1)))
        let slow = try freshet("events", server.url, "--timeout", "0.5", "--no-reconnect")
        XCTAssertEqual(slow.status, 0, slow.errorOutput)
        XCTAssertEqual(slow.lines.count, 2)
    }

    func testAnInterruptEndsTheStreamWithStatus130() throws {
        server.enqueue(events("data: a\n\n", "data: b\n\n").pausing(after: 9, until: Barrier()))
        let run = try FreshetProcess(["events", server.url])
        let first = run.output.fileHandleForReading.availableData
        XCTAssertEqual(String(decoding: first, as: UTF8.self), "{\"type\":\"message\",\"data\":\"a\",\"id\":\"\"}\n")
        run.process.interrupt()
        XCTAssertEqual(run.result().status, 130)
    }

    func testAClosedOutputEndsTheStreamEvenWithoutAnEvent() throws {
        server.enqueue(events("data: a\n\n", "data: b\n\n").pausing(after: 9, until: Barrier()))
        let run = try FreshetProcess(["events", server.url])
        _ = run.output.fileHandleForReading.availableData
        try run.output.fileHandleForReading.close()
        let result = run.result(readingOutput: false)
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.errorOutput, "")
        waitUntil("the connection is closed") { server.openConnections == 0 }
    }

    func testALimitOfZeroSendsNothing() throws {
        let result = try freshet("events", server.url, "--limit", "0")
        XCTAssertEqual(result.status, 0)
        XCTAssertEqual(result.text, "")
        XCTAssertEqual(server.requestCount, 0)
    }

    func testASlowReaderSlowsTheServer() throws {
        // The stream is longer than the memory that the process may hold.
        let piece = Array(("data: " + String(repeating: "x", count: 10_000) + "\n\n").utf8)
        server.enqueue(.repeating(piece, times: 7000, headers: [.contentType: "text/event-stream"]))
        let run = try FreshetProcess(["events", server.url, "--no-reconnect"])
        waitUntilStill("the bytes that came") { try? run.peakMemory() }
        XCTAssertLessThan(try run.peakMemory(), Sanitizer.memoryBound)
        let result = run.result()
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.lines.count, 7000)
    }
}
