import FreshetEvents
import FreshetTesting
import XCTest

final class JSONLinesParserTests: XCTestCase {
    private func lines(_ pieces: [[UInt8]], limit: Int = 1 << 20) -> [String] {
        var parser = JSONLinesParser(limit: limit)
        var lines: [String] = []
        let note = { (line: JSONLinesParser.Line) in
            lines.append("\(line.number) \(line.text.map { String(decoding: $0, as: UTF8.self) } ?? "too long")")
        }
        for piece in pieces { parser.parse(piece, note) }
        parser.finish(note)
        return lines
    }

    /// The lines of `text`. The function checks that every cut into two pieces and single bytes give the same lines.
    private func lines(_ text: String, limit: Int = 1 << 20) -> [String] {
        let bytes = Array(text.utf8)
        let whole = lines([bytes], limit: limit)
        for cut in 0...bytes.count {
            XCTAssertEqual(lines([Array(bytes[..<cut]), Array(bytes[cut...])], limit: limit), whole, "cut at \(cut)")
        }
        XCTAssertEqual(lines(bytes.map { [$0] }, limit: limit), whole)
        return whole
    }

    func testLinesEndWithALineFeedExceptTheLast() {
        XCTAssertEqual(lines("1\n{\"a\":2}\n3"), ["1 1", "2 {\"a\":2}", "3 3"])
        XCTAssertEqual(lines("1\n"), ["1 1"])
        XCTAssertEqual(lines(""), [])
    }

    func testEmptyLinesAreCountedAndSkipped() {
        XCTAssertEqual(lines("\n\n1\n \t\r\n\r\n2\n\n"), ["3 1", "6 2"])
    }

    func testACarriageReturnEndsALineOnlyBeforeALineFeed() {
        XCTAssertEqual(lines("1\r\n2\r3\r\n4\r\r\n"), ["1 1", "2 2\r3", "3 4\r"])
    }

    func testALineEndDoesNotCountTowardsTheLimit() {
        XCTAssertEqual(lines("1234\r\n12345\r\n123\r\n", limit: 4), ["1 1234", "2 too long", "3 123"])
    }

    func testOnlyAByteOrderMarkAtTheStartIsSkipped() {
        XCTAssertEqual(lines("\u{FEFF}1\n\u{FEFF}2\n"), ["1 1", "2 \u{FEFF}2"])
        XCTAssertEqual(lines("\u{FEFF}\n1\n"), ["2 1"])
    }

    func testALineOverTheLimitIsSkippedAndTheNextIsRead() {
        XCTAssertEqual(lines("1234\n12345\n1\n123456", limit: 4), ["1 1234", "2 too long", "3 1", "4 too long"])
    }

    func testTextIsPassedUnchanged() {
        XCTAssertEqual(lines("\"é\u{2028}\u{1F600}\"\n"), ["1 \"é\u{2028}\u{1F600}\""])
    }

    func testLongLinesAreParsedAlikeInPiecesOfAnySize() {
        var random = SplitMix64(seed: 7)
        let texts = (0..<30).map { _ in String(repeating: "x", count: Int.random(in: 0..<20_000, using: &random)) }
        let bytes = Array(texts.joined(separator: "\n").utf8)
        let expected = texts.enumerated().filter { !$1.isEmpty }.map { "\($0 + 1) \($1)" }
        for size in [7, 1000, 1024, 4096, 70_000, bytes.count] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min(bytes.count, $0 + size)])
            }
            XCTAssertTrue(lines(pieces) == expected, "pieces of \(size)")
        }
    }
}
