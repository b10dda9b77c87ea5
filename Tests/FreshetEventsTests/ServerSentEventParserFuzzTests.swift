import Foundation
import FreshetEvents
import FreshetTesting
import XCTest

/// Compares the parser with the simplest one, on random streams that are cut in every way.
final class ServerSentEventParserFuzzTests: XCTestCase {
    /// The result of a stream. Texts are compared byte for byte, and not by their characters.
    private struct Outcome: Equatable {
        var events: [[[UInt8]]] = []
        var comments: [[UInt8]] = []
        var lastEventID: [UInt8] = []
        var reconnectionTime: Duration?

        mutating func record(_ event: ServerSentEvent) {
            events.append([event.type, event.data, event.id].map { Array($0.utf8) })
        }

        mutating func record(comment: String) { comments.append(Array(comment.utf8)) }
    }

    private static let words: [[UInt8]] =
        [
            "data", "data:", "data: ", "id", "id: 7", "id:\u{0}", "id: é", "event: a", "event:", "event: a\n",
            "event: b\n",
            "retry: 10", "retry: x", "retry: 3\n", ":", ": ping\n", " ", "x", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n",
            "\r\r",
            "é", "\u{1F600}", "\u{FEFF}", "Data: x", "datax: y", "eventual: z", "\u{301}", ": \u{301}", "\ndata: a",
            "\ndata: b\r\n\r\n", "\nid: 9\ndata\n\n", "data: a longer line of data, as they come\n", "\u{0}",
            "data\u{0}\n",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xE2, 0x82], [0xF0, 0x9F], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBB],
            [0xF4, 0x90, 0x80, 0x80],
            [0xE0, 0x80], [0xF0, 0x80], [0x80], [0xF1, 0x80, 0x80], [0xC2], [0xEF, 0xBB, 0xBF],
        ]

    private func parsed(_ chunks: [ArraySlice<UInt8>]) throws -> Outcome {
        var parser = ServerSentEventParser()
        var outcome = Outcome()
        var comments: [String] = []
        for chunk in chunks {
            try parser.parse(Array(chunk), comment: { comments.append($0) }) { outcome.record($0) }
        }
        for comment in comments { outcome.record(comment: comment) }
        outcome.lastEventID = Array(parser.lastEventID.utf8)
        outcome.reconnectionTime = parser.reconnectionTime
        return outcome
    }

    private func expected(_ bytes: [UInt8]) -> Outcome {
        let reference = ReferenceParser(bytes)
        var outcome = Outcome()
        for event in reference.events { outcome.record(event) }
        for comment in reference.comments { outcome.record(comment: comment) }
        outcome.lastEventID = Array(reference.lastEventID.utf8)
        outcome.reconnectionTime = reference.reconnectionTime
        return outcome
    }

    private func cut(_ bytes: [UInt8], at cuts: [Int]) -> [ArraySlice<UInt8>] {
        zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
    }

    func testEverySplitOfRandomStreamsMatchesTheReferenceParser() throws {
        var random = SplitMix64(seed: 0x5EED)
        let count = ProcessInfo.processInfo.environment["FRESHET_FUZZ"].flatMap { Int($0) } ?? 400
        var events = 0
        for _ in 0..<count {
            let bytes = (0..<Int.random(in: 0..<24, using: &random)).flatMap { _ in
                Self.words.randomElement(using: &random)!
            }
            let expected = expected(bytes)
            events += expected.events.count
            XCTAssertEqual(try parsed([bytes[...]]), expected, "\(bytes)")
            XCTAssertEqual(try parsed(bytes.indices.map { bytes[$0...$0] }), expected, "\(bytes)")
            for cut in bytes.indices where try parsed([bytes[..<cut], bytes[cut...]]) != expected {
                XCTFail("\(bytes) cut at \(cut)")
            }
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            XCTAssertEqual(try parsed(cut(bytes, at: cuts)), expected, "\(bytes) at \(cuts)")
        }
        XCTAssertGreaterThan(events, count / 2, "the streams hold events")
    }

    /// The lines are so long that the parser keeps pieces as they arrived.
    func testLongLinesInPiecesOfAnySizeMatchTheReferenceParser() throws {
        var random = SplitMix64(seed: 0x10E6)
        var longest = 0
        for _ in 0..<8 {
            let bytes = (0..<Int.random(in: 1..<8, using: &random)).flatMap { _ -> [UInt8] in
                let filling = ["x", "é", "\u{1F600}", "a b", "\u{0}"].randomElement(using: &random)!
                let start = ["data:", "data: ", "id:", "event: ", ":", "datum: ", "\u{FEFF}data: ", "\n\n"]
                    .randomElement(using: &random)!
                let filled = String(repeating: filling, count: Int.random(in: 0..<9000, using: &random))
                return Array(start.utf8) + filled.utf8 + Self.words.randomElement(using: &random)!
                    + (Bool.random(using: &random) ? [10] : [10, 10])
            }
            let expected = expected(bytes)
            longest = max(longest, expected.events.map { $0[1].count }.max() ?? 0)
            for size in [1, 15, 16, 17, 900, 1024, 5000, 70_000, bytes.count] {
                let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
                XCTAssertTrue(try parsed(pieces) == expected, "pieces of \(size)")
            }
            let cuts = (0..<12).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            XCTAssertTrue(try parsed(cut(bytes, at: cuts)) == expected, "\(cuts)")
        }
        XCTAssertGreaterThan(longest, 20_000)
    }
}
