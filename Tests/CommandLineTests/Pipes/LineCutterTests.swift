import XCTest

@testable import freshet_cli

final class LineCutterTests: XCTestCase {
    private func lines(_ pieces: [String], longest: Int = 5) -> [String] {
        var cutter = LineCutter(longest: longest)
        var lines: [String] = []
        func cut() {
            while let line = cutter.next({ line in
                "\(line.number):" + (line.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "too long")
            }) { lines.append(line) }
        }
        for piece in pieces {
            cutter.append(Array(piece.utf8))
            cut()
        }
        cutter.finish()
        cut()
        return lines
    }

    func testLinesEndWithALineFeedWhichTheLastLineDoesNotNeed() {
        XCTAssertEqual(lines(["a\n\nb"]), ["1:a", "2:", "3:b"])
        XCTAssertEqual(lines(["a\r\n"]), ["1:a\r"])
        XCTAssertEqual(lines([]), [])
        XCTAssertEqual(lines(["", ""]), [])
    }

    func testALineThatIsTooLongIsSkippedAndCounted() {
        XCTAssertEqual(lines(["12345\n123456\na"]), ["1:12345", "2:too long", "3:a"])
        XCTAssertEqual(lines(["123456"]), ["1:too long"])
    }

    func testTheLastLineIsAvailableAfterTheInputHasFinished() {
        var cutter = LineCutter(longest: 5)
        cutter.append(Array("a\nb".utf8))
        cutter.finish()
        XCTAssertEqual(cutter.next { $0.number }, 1)
        XCTAssertEqual(cutter.next { $0.number }, 2)
        XCTAssertNil(cutter.next { $0.number })
    }

    func testTheBoundariesOfThePiecesDoNotAffectTheLines() {
        let text = Array("ab\n\n1234567\nc\n123456")
        let whole = lines([String(text)])
        for first in 0...text.count {
            for second in first...text.count {
                let pieces = [text[..<first], text[first..<second], text[second...]].map { String($0) }
                XCTAssertEqual(lines(pieces), whole, "\(pieces)")
            }
        }
    }
}
