import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class ChatTests: ExampleTestCase {
    private func response(_ events: [String], typed type: String? = nil) -> ScriptedResponse {
        let name = type.map { "event: \($0)\n" } ?? ""
        return ScriptedResponse(
            headers: [.contentType: "text/event-stream"], pieces: events.map { Array("\(name)data: \($0)\n\n".utf8) })
    }

    private func completion(_ text: String) -> String { #"{"choices":[{"delta":{"content":"\#(text)"}}]}"# }

    private func messages(in request: RecordedRequest) throws -> [String] {
        struct Body: Decodable {
            struct Message: Decodable {
                var role: String
                var content: String
            }
            var messages: [Message]
        }
        let body = try JSONDecoder().decode(Body.self, from: Data(request.body))
        return body.messages.map { "\($0.role): \($0.content)" }
    }

    func testPiecesAreShownAsTheyArriveAndTheNextQuestionIncludesThem() throws {
        let barrier = Barrier()
        let first = [completion("Hel"), completion("lo."), #"{"choices":[{"delta":{}}]}"#, "[DONE]"]
        let size = "data: \(first[0])\n\n".utf8.count
        server.enqueue(response(first).pausing(after: size, until: barrier), response([completion("Well."), "[DONE]"]))
        let chat = try ExampleProcess(
            "ChatExample", server.url, "small", "completions", environment: ["CHAT_KEY": "k3y"])
        try chat.write("Hi!\n")
        XCTAssertEqual(chat.output(through: "Hel"), "> Hel", "the rest is not there yet")
        barrier.release()
        XCTAssertEqual(chat.output(through: "> "), "lo.\n> ")
        try chat.write("How are you?\n")
        try chat.endInput()
        XCTAssertEqual(chat.lines(), ["Well.", "> "])

        XCTAssertEqual(server.requests.map(\.path), ["/chat/completions", "/chat/completions"])
        XCTAssertEqual(server.requests.map { $0.headers[.authorization] }, ["Bearer k3y", "Bearer k3y"])
        XCTAssertEqual(
            try messages(in: server.requests[1]), ["user: Hi!", "assistant: Hello.", "user: How are you?"])
    }

    func testAnErrorInTheStreamIsReportedAndTheChatContinues() throws {
        server.enqueue(
            response([completion("I "), #"{"error":{"type":"invalid_request_error","message":"no"}}"#]),
            response([completion("half")]), response([completion("Yes."), "[DONE]"]))
        let chat = try ExampleProcess("ChatExample", server.url, "small", "completions")
        try chat.write("One?\nTwo?\nThree?\n")
        try chat.endInput()
        let lines = chat.lines()
        XCTAssertEqual(lines.count, 6, "\(lines)")
        XCTAssertEqual(lines[0], "> I ")
        XCTAssertTrue(lines[1].contains("invalid_request_error"), lines[1])
        XCTAssertEqual(lines[2], "> half")
        XCTAssertTrue(lines[3].contains("not complete"), lines[3])
        XCTAssertEqual(lines[4...], ["> Yes.", "> "])
        XCTAssertEqual(server.requests.count, 3, "no response was asked for twice")
        XCTAssertEqual(try messages(in: server.requests[2]), ["user: Three?"], "what broke off is not kept")
    }

    func testTheChatReadsTheMessagesFormatToo() throws {
        let typed = """
            event: message_start\ndata: {"type":"message_start"}\n\nevent: ping\ndata: {"type":"ping"}\n\n
            """
        let block = "event: content_block_delta\ndata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"Good day.\"}}\n\n"
        let stop = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
        server.enqueue(ScriptedResponse(headers: [.contentType: "text/event-stream"], body: typed + block + stop))
        let chat = try ExampleProcess(
            "ChatExample", server.url, "small", "messages", environment: ["CHAT_KEY": "k3y"])
        try chat.write("Hi!\n")
        try chat.endInput()
        XCTAssertEqual(chat.lines(), ["> Good day.", "> "])
        XCTAssertEqual(server.requests.first?.path, "/messages")
        XCTAssertEqual(server.requests.first?.headers[HTTPField.Name("X-Api-Key")!], "k3y")
    }
}
