import FreshetEvents
import FreshetTesting
import XCTest

/// Random streams, cut at random, against the plainest parser there is.
final class ServerSentEventParserFuzzTests: XCTestCase {
    private static let words: [[UInt8]] =
        [
            "data", "data:", "data: ", "id", "id: 7", "id:\u{0}", "event: a", "event:", "retry: 10", "retry: x", ":",
            " ",
            "x", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r", "é", "\u{1F600}", "\u{FEFF}", "Data: x", "datax: y",
            "eventual: z", "\u{301}", ": \u{301}", "\ndata: a", "\ndata: b\r\n\r\n", "\nid: 9\ndata\n\n",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xE2, 0x82], [0xF0, 0x9F], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBB],
        ]

    private func parsed(_ chunks: [ArraySlice<UInt8>]) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        for chunk in chunks { try parser.parse(Array(chunk)) { events.append($0) } }
        return events
    }

    func testEverySplitOfEveryStreamGivesWhatTheStandardSays() throws {
        var random = SplitMix64(seed: 0x5EED)
        var count = 0
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &random)).flatMap { _ in
                Self.words.randomElement(using: &random)!
            }
            let expected = ReferenceParser.events(in: bytes)
            count += expected.count
            XCTAssertEqual(try parsed([bytes[...]]), expected, "\(bytes)")
            XCTAssertEqual(try parsed(bytes.indices.map { bytes[$0...$0] }), expected, "\(bytes)")
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            let chunks = zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
            XCTAssertEqual(try parsed(chunks), expected, "\(bytes) at \(cuts)")
        }
        XCTAssertGreaterThan(count, 1000, "the streams hold events")
    }
}
