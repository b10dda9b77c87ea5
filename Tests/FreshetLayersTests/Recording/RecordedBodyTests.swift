import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests recordings of bodies that are large, or that come from a file.
final class RecordedBodyTests: RecordingTestCase {
    private var file: String { path + ".body" }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: file)
        super.tearDown()
    }

    /// The status and the body of the response, or the code of the error; and the number of requests that were sent.
    private func outcome(
        _ mode: HTTPRecording.Mode, _ request: Request, _ response: ScriptedResponse = ScriptedResponse()
    ) throws -> (text: String, sent: Int) {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        server.enqueue(response)
        let recording = try HTTPRecording(at: path, mode: mode, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        var configuration = HTTPClient.Configuration()
        configuration.maximumBodySize = .max
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [recording], configuration: configuration)
        let outcome = Locked("nothing")
        let subscription = client.send(request).subscribe { event in
            outcome.withLock {
                switch event {
                case .success(let response): $0 = "\(response.status.code) \(response.text.prefix(40))"
                case .failure(let error): $0 = (error as? HTTPClientError)?.code.rawValue ?? "\(error)"
                }
            }
        }
        scheduler.advanceBy(60_000)
        subscription.dispose()
        return (outcome.withLock { $0 }, server.requestCount)
    }

    private func upload(_ content: [UInt8]) throws -> Request {
        try Data(content).write(to: URL(fileURLWithPath: file))
        return try Request(.put, "https://api.example/a", body: .file(file))
    }

    private func upload(_ content: String) throws -> Request { try upload(Array(content.utf8)) }

    /// One megabyte took a second.
    func testRecordingMegabytesOfTextTakesNoSeconds() throws {
        let line = #"{"name":"Ada Lovelace","note":"a=b&c=d, with some words","token":"s3cret-00","n":[1,2,3]}"# + "\n"
        let body = String(repeating: line, count: 5_000)
        let request = try Request(
            .post, "https://api.example/a", body: .bytes(Array(body.utf8), contentType: "text/plain"))
        let clock = ContinuousClock()
        let time = try clock.measure {
            XCTAssertEqual(try outcome(.record, request, ScriptedResponse(body: body)).sent, 1)
        }
        XCTAssertFalse(try String(contentsOfFile: path, encoding: .utf8).contains("s3cret"))
        XCTAssertLessThan(time, .seconds(30))
    }

    func testARecordingAndAReplayReadTheFileThatIsThereWhenTheRequestIsSent() throws {
        for (first, second) in [("0123", "0123456789"), ("0123456789", "0123")] {
            try? FileManager.default.removeItem(atPath: path)
            let request = try upload(first)
            _ = try upload(second)
            XCTAssertEqual(try outcome(.record, request, ScriptedResponse(body: "1")).text, "200 1")
            XCTAssertTrue(try String(contentsOfFile: path, encoding: .utf8).contains(#""text":"\#(second)""#))
            let other = try upload(first)
            _ = try upload(second)
            XCTAssertEqual(try outcome(.replay, other).text, "200 1")
        }
    }

    func testAReplayDistinguishesTheBodiesOfFiles() throws {
        XCTAssertEqual(try outcome(.record, try upload("first"), ScriptedResponse(body: "1")).text, "200 1")
        XCTAssertEqual(try outcome(.replay, try upload("other")).text, "not_recorded")
        XCTAssertEqual(try outcome(.replay, try upload("first")).text, "200 1")
        let second = try outcome(.replayOrRecord, try upload("other"), ScriptedResponse(body: "2"))
        XCTAssertEqual(second.text, "200 2")
        XCTAssertEqual(second.sent, 1)
        XCTAssertEqual(try outcome(.replay, try upload("other")).text, "200 2")
        XCTAssertTrue(try String(contentsOfFile: path, encoding: .utf8).contains(#""text":"first""#))
    }

    func testAFileAndTheSameBytesInMemoryAreTheSameBody() throws {
        _ = try outcome(.record, try upload("first"), ScriptedResponse(body: "1"))
        let request = try Request(.put, "https://api.example/a", body: .bytes(Array("first".utf8)))
        XCTAssertEqual(try outcome(.replay, request).text, "200 1")
    }

    func testASecretBesideAFileOfAFormIsMaskedInTheResponse() throws {
        _ = try upload("content of the file")
        var form = MultipartForm()
        form.append("password", "s3cret-of-the-form")
        form.append("f", file: file)
        let request = try Request(.post, "https://api.example/a", body: .multipart(form))
        _ = try outcome(.record, request, ScriptedResponse(body: "echo of s3cret-of-the-form"))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertFalse(text.contains("s3cret"), text)
        XCTAssertTrue(text.contains("content of the file"), text)
        XCTAssertEqual(try outcome(.replay, request).text, "200 echo of REDACTED")
    }

    func testABodyThatCanBeReadOnceIsSentAndRefusedInAReplay() throws {
        func request() throws -> Request {
            try Request(.post, "https://api.example/a", body: .stream(.just(Array("piece".utf8))))
        }
        XCTAssertEqual(try outcome(.record, try request(), ScriptedResponse(body: "1")).text, "200 1")
        let empty = try Request(.post, "https://api.example/a")
        for request in [try request(), empty] {
            let replayed = try outcome(.replay, request)
            XCTAssertEqual(replayed.text, "not_recorded")
            XCTAssertEqual(replayed.sent, 0)
        }
        XCTAssertEqual(try outcome(.replayOrRecord, try request(), ScriptedResponse(body: "2")).text, "200 2")
    }

    func testALargeFileIsFoundByItsDigest() throws {
        var content = [UInt8](repeating: 0xFF, count: 65 << 20)
        _ = try outcome(.record, try upload(content), ScriptedResponse(body: "1"))
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        XCTAssertLessThan(size ?? .max, 10_000)
        XCTAssertEqual(try outcome(.replay, try upload(content)).text, "200 1")
        content[content.count - 1] = 0
        XCTAssertEqual(try outcome(.replay, try upload(content)).text, "not_recorded")
    }

    func testARecordingKeepsTheBeginningOfAVeryLongResponse() throws {
        let piece = [UInt8](repeating: 0xFF, count: 13 << 20)
        let request = try Request(.get, "https://api.example/a")
        let response = ScriptedResponse(pieces: Array(repeating: piece, count: 5))
        XCTAssertEqual(try outcome(.record, request, response).text.prefix(3), "200")
        XCTAssertEqual(try outcome(.replay, request).text, "too_large")
    }

    func testAMissingFileIsTheErrorOfTheRequest() throws {
        let request = try Request(.put, "https://api.example/a", body: .file("/nonexistent/body"))
        for mode in [HTTPRecording.Mode.record, .replayOrRecord, .replay] {
            XCTAssertEqual(try outcome(mode, request).text, "invalid_request")
        }
    }

    /// HAR 1.2 has `params` in place of `text`.
    func testAFormOfAnotherProgramIsMatchedByItsFields() throws {
        let type = "application/x-www-form-urlencoded"
        let form = try Request(.post, "https://api.example/a", body: .bytes(Array("a=b+c&d=".utf8), contentType: type))
        let other = try Request(.post, "https://api.example/a", body: .bytes(Array("a=b".utf8), contentType: type))
        for (mimeType, text) in [
            (type, nil), ("\(type); charset=utf-8", ""), ("multipart/form-data", nil), (type, "a=b"),
        ] as [(String, String?)] {
            let member = text.map { ", \"text\": \"\($0)\"" } ?? ""
            let json = """
                {"log": {"version": "1.2", "creator": {"name": "b", "version": ""}, "entries": [{
                "startedDateTime": "2026-11-25T00:00:00.000Z", "time": 1, "request": {"method": "POST",
                "url": "https://api.example/a", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "queryString": [],
                "headersSize": -1, "bodySize": -1, "postData": {"mimeType": "\(mimeType)", "params":
                [{"name": "a", "value": "b c"}, {"name": "d"}]\(member)}}, "response": {"status": 200, "statusText": "",
                "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "content": {"size": 1, "mimeType": "text/plain",
                "text": "found"}, "redirectURL": "", "headersSize": -1, "bodySize": -1}, "cache": {},
                "timings": {"send": 0, "wait": 1, "receive": 0}}]}}
                """
            try Data(json.utf8).write(to: URL(fileURLWithPath: path))
            let isForm = mimeType.hasPrefix(type) && text?.isEmpty ?? true
            XCTAssertEqual(try outcome(.replay, form).text, isForm ? "200 found" : "not_recorded")
            XCTAssertEqual(try outcome(.replay, other).text, text == "a=b" ? "200 found" : "not_recorded")
        }
    }
}
