import EventStreamCases
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import XCTest

/// Tests the known cases of event streams, from the socket to the subscriber, and in the request that reconnects.
final class EventStreamCasesOnSocketsTests: EventStreamTestCase {
    private func bytes(_ events: [ServerSentEvent]) -> [[[UInt8]]] {
        events.map { event in [event.type, event.data, event.id].map { Array($0.utf8) } }
    }

    private func check(_ topic: [EventStreamCase]) throws {
        XCTAssertFalse(topic.isEmpty)
        let client = client()
        for each in topic {
            for (how, response) in responses(to: each) {
                server.enqueue(response, .noMore)
                let log = try follow(by: client).end()
                let name = "\(each.name), \(how)"
                XCTAssertNil(log.error, name)
                XCTAssertTrue(bytes(log.events) == bytes(each.events), name)
                XCTAssertTrue(log.comments.map { Array($0.utf8) } == each.comments.map { Array($0.utf8) }, name)
                XCTAssertEqual(log.waits, [.milliseconds(each.reconnectionTime ?? 1)], name)
                let id = server.requests.last.flatMap { lastEventID(of: $0) }
                XCTAssertEqual(id ?? [], Array(each.lastEventID.utf8), name)
            }
        }
    }

    private func responses(to each: EventStreamCase) -> [(String, ScriptedResponse)] {
        let bytes = each.bytes
        func pieces(of size: Int) -> [[UInt8]] {
            stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
        }
        let all = [("at once", ScriptedResponse.events([bytes])), ("until the end", .events([bytes]).untilClose())]
        if bytes.count > 2000 { return all + [("in pieces of 1000", .events(pieces(of: 1000)))] }
        return all + [("byte by byte", .events(pieces(of: 1))), ("two by two", .events(pieces(of: 2)))]
    }

    func testLineEndsAreParsed() throws { try check(EventStreamCase.lineEnds) }
    func testByteOrderMarksAreParsed() throws { try check(EventStreamCase.byteOrderMarks) }
    func testCommentsAreParsed() throws { try check(EventStreamCase.comments) }
    func testDataFieldsAreParsed() throws { try check(EventStreamCase.data) }
    func testFieldNamesAreParsed() throws { try check(EventStreamCase.fieldNames) }
    func testEventTypesAreParsed() throws { try check(EventStreamCase.types) }
    func testIDsAreParsed() throws { try check(EventStreamCase.ids) }
    func testReconnectionTimesAreParsed() throws { try check(EventStreamCase.reconnectionTimes) }
    func testTextsAreParsed() throws { try check(EventStreamCase.texts) }
    func testEventsOfAllSizesAreParsed() throws { try check(EventStreamCase.sizes) }
}
