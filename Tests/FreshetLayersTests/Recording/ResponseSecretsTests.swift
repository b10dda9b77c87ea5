import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests what a recording does with secrets that the server sends.
final class ResponseSecretsTests: RecordingTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    private func client(_ mode: HTTPRecording.Mode, _ responses: [ScriptedResponse] = []) throws -> HTTPClient {
        let server = StubTransport(scheduler: scheduler)
        for response in responses { server.enqueue(response) }
        let recording = try HTTPRecording(at: path, mode: mode, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        return HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
    }

    private func text(_ url: String, from client: HTTPClient) throws -> String { try response(url, from: client).text }

    private func response(_ url: String, from client: HTTPClient) throws -> Response {
        let outcome = Locked<Result<Response, any Error>?>(nil)
        let subscription = client.get(url).subscribe { event in outcome.withLock { $0 = event } }
        scheduler.advanceBy(60_000)
        subscription.dispose()
        return try XCTUnwrap(outcome.withLock { $0 }).get()
    }

    private let session = HTTPField.Name("X-Session-Id")!

    func testACookieIsRecordedWithItsNameAndItsAttributesSoThatAReplaySetsIt() throws {
        var headers = HTTPFields()
        for value in ["sid=s3cret-1; Path=/a; Secure", "gone=; Max-Age=0", "s3cret-2; Path=/", "a=s3cret-3=s3cret-4"] {
            headers.append(HTTPField(name: .setCookie, value: value))
        }
        let url = "https://api.example/a"
        _ = try response(url, from: client(.record, [ScriptedResponse(headers: headers)]))
        XCTAssertEqual(
            try response(url, from: client(.replay)).headers[values: .setCookie],
            ["sid=REDACTED; Path=/a; Secure", "gone=REDACTED; Max-Age=0", "REDACTED; Path=/", "a=REDACTED"])
        XCTAssertFalse(try String(contentsOfFile: path, encoding: .utf8).contains("s3cret"))
    }

    /// The address was masked, and the request to it was not.
    func testAReplayFollowsTheAddressOfASessionThatAFieldNames() throws {
        let id = "1f0c77aa-12345678"
        let fields: [HTTPFields] = [[session: id, .location: "/s/\(id)"], [session: id]]
        for (status, fields) in zip([HTTPResponse.Status.seeOther, .ok], fields) {
            let first = ScriptedResponse(
                status: status, headers: fields, body: #"{"next":"/s/\#(id)/b","id":"\#(id)"} \#(id)"#)
            let last = ScriptedResponse(body: "done")
            let recorder = try client(.record, [first, last])
            func follow(_ client: HTTPClient) throws -> String {
                let text = try text("https://api.example/a", from: client)
                guard let path = text.firstMatch(of: #/"next":"([^"]*)"/#)?.1 else { return text }
                XCTAssertEqual(text.contains("REDACTED"), text.contains(#""id":"REDACTED"} REDACTED"#))
                return try self.text("https://api.example\(path)", from: client)
            }
            XCTAssertEqual(try follow(recorder), "done")
            XCTAssertEqual(try follow(client(.replay)), "done", "\(status)")
            let fields = try HARDocument(at: path).log.entries.first?.response.headers
            XCTAssertEqual(fields?.first { $0.name == "X-Session-Id" }?.value, "REDACTED")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func testANumberInAFieldOfAResponseLeavesTheNumbersOfJSONAsTheyAre() throws {
        let body = #"{"id":12345678,"list":[ 12345678 ]}"#
        let recorder = try client(.record, [ScriptedResponse(headers: [session: "12345678"], body: body)])
        XCTAssertEqual(try text("https://api.example/a", from: recorder), body)
        XCTAssertEqual(try text("https://api.example/a", from: client(.replay)), body)
    }

    /// In the path of a URL the parameter was masked, and between other words it was not.
    func testTheParameterOfAPathIsMaskedAndReplayedInLinksAndBodies() throws {
        for rest in [";v=1?page=2", "?page=2", "/b", ""] { try checkAParameter(before: rest) }
    }

    private func checkAParameter(before rest: String) throws {
        let long = String(repeating: "/folder", count: 10)
        let url = "https://api.example\(long);jsessionid=s3cret-link\(rest)"
        let first = ScriptedResponse(
            headers: [.init("Link")!: "<\(url)>; rel=next", .init("Refresh")!: "5; url=/b;JSESSIONID=s3c?x=1"],
            body: "<a href=\"\(url)\"> /c?x=1&amp;phpsessid=s3cret-php /d;jsessionid=s3cret-text;v=2")
        func follow(_ client: HTTPClient) throws -> String {
            let text = try text("https://api.example/a", from: client)
            let link = try XCTUnwrap(text.firstMatch(of: #/href="([^"]*)"/#)?.1)
            return try self.text(String(link), from: client)
        }
        XCTAssertEqual(try follow(client(.record, [first, ScriptedResponse(body: "done")])), "done")
        let recorded = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertEqual(recorded.matches(of: #/.{0,40}s3c.{0,10}/#).map { String($0.output) }, [])
        XCTAssertTrue(recorded.contains("/d;jsessionid=REDACTED;v=2"), recorded)
        XCTAssertEqual(try follow(client(.replay)), "done", rest)
        try FileManager.default.removeItem(atPath: path)
    }
}
