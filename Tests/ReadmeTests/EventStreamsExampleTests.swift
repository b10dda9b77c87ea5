import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Runs the examples of the page about event streams.
final class EventStreamsExampleTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAStreamGoesOnWhereItWas() async throws {
        let runtime = try Runtime()
        let server = try ScriptedServer(on: runtime.loop)
        let headers: HTTPFields = [.contentType: "text/event-stream"]
        server.enqueue(
            ScriptedAnswer(headers: headers, body: "retry: 1\nid: 8\ndata: a\n\n"),
            ScriptedAnswer(headers: headers, body: "id: 9\ndata: b\n\n"))
        let last = Locked("7")
        let texts = try await EventStreamsExample.texts(from: server.url, after: "7", client: runtime.client) { id in
            last.withLock { $0 = id }
        }.take(2).toArray().value
        XCTAssertEqual(texts, ["a", "b"])
        XCTAssertEqual(last.withLock { $0 }, "9")
        XCTAssertEqual(server.requests.map { $0.headers[.init("Last-Event-ID")!] }, ["7", "8"])
        server.close()
        runtime.shutdown()
    }

    func testAnAnswerEndsWithItsTerminator() async throws {
        let runtime = try Runtime()
        let server = try ScriptedServer(on: runtime.loop)
        server.enqueue(
            ScriptedAnswer(
                headers: [.contentType: "text/event-stream"], body: "data: Hel\n\ndata: lo\n\ndata: [DONE]\n\n"))
        let question = try Request(.post, server.url, body: .text("{}"))
        let answer = try await EventStreamsExample.answer(to: question, client: runtime.client).toArray().value
        XCTAssertEqual(answer.joined(), "Hello")
        XCTAssertEqual(server.requests.count, 1)
        server.close()
        runtime.shutdown()
    }
}
