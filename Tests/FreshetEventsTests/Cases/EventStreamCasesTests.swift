import EventStreamCases
import FreshetEvents
import FreshetHTTP
import FreshetTesting
import XCTest

/// Tests the known cases of event streams with the parser, cut into pieces in every way.
final class EventStreamCasesTests: XCTestCase {
    /// The result of a stream. Texts are compared byte for byte, and not by their characters.
    private struct Outcome: Equatable {
        var events: [[[UInt8]]]
        var comments: [[UInt8]]
        var lastEventID: [UInt8]
        var reconnectionTime: Duration?

        init(_ events: [ServerSentEvent], _ comments: [String], _ lastEventID: String, _ reconnectionTime: Duration?) {
            self.events = events.map { event in [event.type, event.data, event.id].map { Array($0.utf8) } }
            self.comments = comments.map { Array($0.utf8) }
            self.lastEventID = Array(lastEventID.utf8)
            self.reconnectionTime = reconnectionTime
        }
    }

    private func outcome(_ pieces: [ArraySlice<UInt8>]) throws -> Outcome {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        var comments: [String] = []
        for piece in pieces {
            try parser.parse(Array(piece), comment: { comments.append($0) }) { events.append($0) }
        }
        return Outcome(events, comments, parser.lastEventID, parser.reconnectionTime)
    }

    private func check(_ cases: [EventStreamCase]) throws {
        XCTAssertFalse(cases.isEmpty)
        for each in cases {
            let bytes = each.bytes
            let wanted = Outcome(
                each.events, each.comments, each.lastEventID, each.reconnectionTime.map { .milliseconds($0) })
            func check(_ pieces: [ArraySlice<UInt8>], _ how: String) throws {
                XCTAssertTrue(try outcome(pieces) == wanted, "\(each.name), \(how)")
            }
            try check([bytes[...]], "in one piece")
            if bytes.count <= 70_000 { try check(bytes.indices.map { bytes[$0...$0] }, "byte by byte") }
            for size in [2, 3, 1024, 16_384] where bytes.count > size && bytes.count / size < 100_000 {
                let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
                try check(pieces, "in pieces of \(size)")
            }
            // A short stream is cut everywhere, and a long one near its ends.
            for cut in bytes.indices where bytes.count <= 500 || cut < 10 || cut > bytes.count - 16 {
                try check([bytes[..<cut], [], bytes[cut...]], "cut at \(cut)")
            }
        }
    }

    func testLineEndsAreParsedByTheStandard() throws { try check(EventStreamCase.lineEnds) }
    func testByteOrderMarksAreParsedByTheStandard() throws { try check(EventStreamCase.byteOrderMarks) }
    func testCommentsAreParsedByTheStandard() throws { try check(EventStreamCase.comments) }
    func testDataFieldsAreParsedByTheStandard() throws { try check(EventStreamCase.data) }
    func testFieldNamesAreParsedByTheStandard() throws { try check(EventStreamCase.fieldNames) }
    func testEventTypesAreParsedByTheStandard() throws { try check(EventStreamCase.types) }
    func testEventIDsAreParsedByTheStandard() throws { try check(EventStreamCase.ids) }
    func testReconnectionTimesAreParsedByTheStandard() throws { try check(EventStreamCase.reconnectionTimes) }
    func testTextsAreDecodedByTheStandard() throws { try check(EventStreamCase.texts) }
    func testEventsOfEverySizeAreParsed() throws { try check(EventStreamCase.sizes) }
}
