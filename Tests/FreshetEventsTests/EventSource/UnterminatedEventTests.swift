import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests responses whose last event has no blank line after it. Some servers and gateways of chat APIs omit it.
final class UnterminatedEventTests: EventSourceTestCase {
    private func run(_ settings: EventSource.Settings, _ pieces: String...) throws -> [String] {
        let bench = EventSourceBench()
        bench.settings = settings
        bench.settings.random = { 0 }
        bench.transport.enqueue(
            ScriptedResponse(
                headers: [.contentType: "text/event-stream"],
                pieces: ["data: a\n\n"].map { Array($0.utf8) }
                    + pieces.map { Array($0.utf8) }),
            ScriptedResponse(status: .noContent))
        return Array(try bench.run().dropFirst(3))
    }

    func testATerminatorWithoutABlankLineEndsTheResponse() throws {
        for end in ["data: [DONE]\n", "data: [DONE]\r\n", "data:[DONE]\r", "data: [DONE]"] {
            XCTAssertEqual(
                try run(.response(terminator: "[DONE]"), end), ["0 closed", "0 completed"], end.debugDescription)
        }
    }

    func testALastEventWithoutABlankLineIsDelivered() throws {
        for end in ["\n", "\r\n", "\r"] {
            XCTAssertEqual(
                try run(.response(lastTypes: ["stop"]), "event: stop\ndata: b\(end)"),
                ["0 b", "0 closed", "0 completed"], end.debugDescription)
            XCTAssertEqual(
                try run(.response(), "data: b", end), ["0 b", "0 closed", "0 completed"], end.debugDescription)
        }
    }

    func testAnErrorWithoutABlankLineFailsTheResponseWithItsReason() throws {
        XCTAssertEqual(
            try run(.response(terminator: "[DONE]"), #"data: {"error":{"type":"server_error"}}"# + "\n"),
            ["0 closed", "0 error status"])
    }

    func testACutLineIsNotDelivered() throws {
        XCTAssertEqual(try run(.response(), "data: {\"text\":"), ["0 closed", "0 completed"])
        XCTAssertEqual(
            try run(.response(lastTypes: ["stop"]), "event: stop\ndata: {\"text\":"),
            ["0 closed", "0 error connection_lost"])
        XCTAssertEqual(
            try run(.response(terminator: "[DONE]"), "data: [DON"), ["0 closed", "0 error connection_lost"])
        XCTAssertEqual(
            try run(.response(terminator: "[DONE]"), "data: b\n"), ["0 b", "0 closed", "0 error connection_lost"])
    }

    func testAResponseThatIsNeverRequestedAgainEndsWithItsTerminatorToo() throws {
        var settings = EventSource.Settings.response(terminator: "[DONE]")
        settings.reconnection = .never
        XCTAssertEqual(try run(settings, "data: [DONE]"), ["0 closed", "0 completed"])
    }

    func testTheIDOfACutEventIsNotSent() throws {
        bench.settings = .response(terminator: "[DONE]")
        bench.settings.random = { 0 }
        bench.transport.enqueue(.events("id: 5\ndata: {\"te"), .events("data: [DONE]\n\n"))
        XCTAssertEqual(try bench.run().last, "500 completed")
        XCTAssertEqual(bench.lastEventIDs, [nil, nil])
    }

    func testAStreamThatReconnectsDropsAnEventWithoutABlankLine() throws {
        XCTAssertEqual(
            try run(EventSource.Settings(), "data: b\n"),
            ["0 reconnecting in 3000: ended", "3000 connecting", "3000 closed", "3000 completed"])
    }
}
