import FreshetEvents
import FreshetHTTP
import XCTest

final class ServerSentEventParserTests: XCTestCase {
    private func events(_ text: String) throws -> [ServerSentEvent] {
        try events(Array(text.utf8))
    }

    /// Parses the whole stream, and checks that every cut into two pieces, and into single bytes, gives the same events.
    private func events(_ bytes: [UInt8]) throws -> [ServerSentEvent] {
        let whole = try parsed([bytes])
        for cut in 0...bytes.count {
            XCTAssertEqual(try parsed([Array(bytes[..<cut]), Array(bytes[cut...])]), whole, "cut at \(cut)")
        }
        XCTAssertEqual(try parsed(bytes.map { [$0] }), whole)
        return whole
    }

    private func parsed(_ chunks: [[UInt8]]) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        for chunk in chunks { try parser.parse(chunk) { events.append($0) } }
        return events
    }

    func testDataLinesAreJoinedAndDispatchedByABlankLine() throws {
        XCTAssertEqual(
            try events("data: a\ndata: b\n\ndata:c\n\n"), [.init(data: "a\nb"), .init(data: "c")])
    }

    func testEachLineEndCountsOnce() throws {
        for end in ["\n", "\r", "\r\n"] {
            let text = ["data: a", "", "data: b", "data", "", ""].joined(separator: end)
            XCTAssertEqual(try events(text), [.init(data: "a"), .init(data: "b\n")], end.debugDescription)
        }
    }

    func testOnlyOneSpaceIsRemovedAfterTheColon() throws {
        XCTAssertEqual(try events("data:  a\n\n"), [.init(data: " a")])
    }

    func testOnlyTheFirstByteOrderMarkIsIgnored() throws {
        XCTAssertEqual(try events("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n"), [.init(data: "a")])
    }

    func testCommentsAndUnknownFieldsAreIgnored() throws {
        XCTAssertEqual(try events(": hello\nfoo: bar\nDATA: x\ndata: a\n\n"), [.init(data: "a")])
    }

    func testAnEmptyDataLineMakesAnEventAndAMissingOneDoesNot() throws {
        XCTAssertEqual(
            try events("data\n\ndata:\n\nevent: x\n\nid: 1\n\n"), [.init(data: ""), .init(data: "")])
    }

    func testTheTypeAppliesToOneEventAndTheIDToAllLaterEvents() throws {
        XCTAssertEqual(
            try events("event: a\nid: 7\ndata: 1\n\ndata: 2\n\nid\ndata: 3\n\n"),
            [.init(type: "a", data: "1", id: "7"), .init(data: "2", id: "7"), .init(data: "3")])
    }

    func testAnIDWithANullIsIgnored() throws {
        XCTAssertEqual(try events("id: a\u{0}b\ndata: 1\n\n"), [.init(data: "1")])
    }

    func testAnUnterminatedEventIsDropped() throws {
        XCTAssertEqual(try events("data: a\n\ndata: b\n"), [.init(data: "a")])
    }

    func testALineThatEndsWithACarriageReturnIsParsedAtOnce() throws {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        for (piece, count) in [("data: a\r", 0), ("\r", 1), ("\ndata: b\r", 1), ("\n", 1), ("\r", 2), ("\n\n", 2)] {
            try parser.parse(Array(piece.utf8)) { events.append($0) }
            XCTAssertEqual(events.count, count, piece.debugDescription)
        }
        try parser.parse([]) { events.append($0) }
        XCTAssertEqual(events, [.init(data: "a"), .init(data: "b")])
    }

    func testAByteOrderMarkIsSkippedOnlyAtTheStart() throws {
        XCTAssertEqual(try events("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n"), [.init(data: "b")])
        XCTAssertEqual(try events("\n\u{FEFF}data: a\n\n"), [])
        XCTAssertEqual(try events("\u{FEFF}\ndata: \u{FEFF}a\n\n"), [.init(data: "\u{FEFF}a")])
    }

    func testParsingALongEventTakesLinearTime() throws {
        let piece = [UInt8](repeating: 120, count: 64)
        let count = 250_000
        var size = 0
        // A parser that reads the whole line again for each piece would take many minutes.
        let time = try ContinuousClock().measure {
            var parser = ServerSentEventParser()
            try parser.parse(Array("data: ".utf8)) { _ in }
            for _ in 0..<count { try parser.parse(piece) { _ in } }
            try parser.parse(Array("\n\n".utf8)) { size = $0.data.utf8.count }
        }
        XCTAssertEqual(size, count * 64)
        XCTAssertLessThan(time, .seconds(20))
    }

    func testInvalidUTF8IsReplacedAsInTheEncodingStandard() throws {
        for (bytes, text) in [
            ([0xFF], "\u{FFFD}"), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"), ([0xE2, 0x82], "\u{FFFD}"),
            ([0xE2, 0x82, 0x41], "\u{FFFD}A"), ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xF0, 0x9F, 0x98], "\u{FFFD}"), ([0xF0, 0x80, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xF1, 0x80, 0xE2, 0x82, 0xAC], "\u{FFFD}€"),
            ([0x00], "\u{0}"),
        ] as [([UInt8], String)] {
            let line = Array("data: ".utf8) + bytes
            XCTAssertEqual(try events(line + [10, 10]), [.init(data: text)], "\(bytes)")
            XCTAssertEqual(
                try events(line + [13, 10] + line + [10, 10]), [.init(data: text + "\n" + text)], "\(bytes)")
            XCTAssertEqual(
                try events(Array("event: ".utf8) + bytes + [10] + line + [10, 10]), [.init(type: text, data: text)])
        }
    }

    func testCommentsAreReported() throws {
        var parser = ServerSentEventParser()
        var seen: [String] = []
        for piece in [": a\n:b\r\n:\n:  c", "d\ndata: x\n\n: unfinished"] {
            try parser.parse(Array(piece.utf8), comment: { seen.append($0) }) { _ in }
        }
        XCTAssertEqual(seen, ["a", "b", "", " cd"])
    }

    func testEachEventKeepsItsOwnType() throws {
        let types = ["a", "b", "b", "", "b", "bb", "\u{65}\u{301}", "\u{E9}", "a"]
        let stream = types.map { "event: \($0)\ndata: x\n\n" }.joined()
        XCTAssertEqual(
            try events(stream).map { Array($0.type.utf8) }, types.map { Array(($0.isEmpty ? "message" : $0).utf8) })
    }

    func testAnIncompleteEventReadsNoOtherMemoryInTheNextPiece() throws {
        var parser = ServerSentEventParser(limit: 20)
        XCTAssertThrowsError(try parser.parse(Array("data: abc\ndata: 01234567890123456789\n".utf8)) { _ in })
        // Its result does not matter, as long as it reads no other memory.
        try? parser.parse(Array("\n\n".utf8)) { XCTAssertEqual($0.data, "abc") }
    }

    func testOnlyDigitsSetTheReconnectionTime() throws {
        let year = 31_536_000_000
        for (text, time) in [
            ("10", 10), ("0", 0), ("+5", nil), ("-5", nil), ("1.5", nil), ("", nil), ("5x", nil), (" 5", nil),
            ("٥", nil),
            ("0000000000000000000000000000000000007", 7), (String(repeating: "9", count: 500), year),
            ("9223372036854775808", year),
        ] as [(String, Int?)] {
            var parser = ServerSentEventParser()
            try parser.parse(Array("retry: \(text)\n".utf8)) { _ in }
            XCTAssertEqual(parser.reconnectionTime, time.map { .milliseconds($0) }, text)
        }
    }

    func testTheLastEventIDChangesWhenAnEventIsDispatched() throws {
        var parser = ServerSentEventParser(lastEventID: "5")
        try parser.parse(Array("id: 6\n".utf8)) { _ in }
        XCTAssertEqual(parser.lastEventID, "5")
        try parser.parse(Array("\n".utf8)) { _ in }
        XCTAssertEqual(parser.lastEventID, "6")
    }

    func testTheLimitIsTheSameForEveryCut() throws {
        let fits = Array("data: 012345\n\n".utf8)
        let exceeds = Array("data: 0123456\n\n".utf8)
        for cut in 0...exceeds.count {
            var parser = ServerSentEventParser(limit: 12)
            XCTAssertNoThrow(
                try [fits.prefix(cut), fits.dropFirst(cut)].forEach { try parser.parse(Array($0)) { _ in } })
            XCTAssertThrowsError(
                try [exceeds.prefix(cut), exceeds.dropFirst(cut)].forEach { try parser.parse(Array($0)) { _ in } })
        }
    }

    func testALineOrAnEventOverTheLimitThrows() {
        for text in ["data: 0123456789", "data: 0123\ndata: 0123\ndata: 0123\n"] {
            var parser = ServerSentEventParser(limit: 12)
            XCTAssertThrowsError(try parser.parse(Array(text.utf8)) { _ in }) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .tooLarge)
            }
        }
    }
}
