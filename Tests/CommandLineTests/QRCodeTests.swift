import XCTest

@testable import freshet_cli

/// Tests codes by parsing their modules back into codewords.
final class QRCodeTests: XCTestCase {
    /// ISO/IEC 18004, Annex I, has the format bits of level L and mask 0: 111011111000100.
    func testTheFormatBitsMatchTheStandard() throws {
        let code = try XCTUnwrap(QRCode("https://id.example/device?user_code=AB-CD"))
        let first = [0, 1, 2, 3, 4, 5, 7, 8].map { code.modules[$0][8] }
        let rest = [7, 5, 4, 3, 2, 1, 0].map { code.modules[8][$0] }
        let bits = (first + rest).reversed().map { $0 ? "1" : "0" }.joined()
        XCTAssertEqual(bits, "111011111000100")
    }

    /// In a code of version 1 the text precedes the correction as plain bytes: mode, length, bytes, padding.
    func testTheModulesEncodeTheText() throws {
        for text in ["A", "AB-CD", "https://a.b/cdef"] {
            let code = try XCTUnwrap(QRCode(text))
            XCTAssertEqual(code.modules.count, 21)
            var bits = readBits(code.modules)[...]
            func next(_ count: Int) -> Int {
                defer { bits = bits.dropFirst(count) }
                return bits.prefix(count).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
            }
            XCTAssertEqual(next(4), 0b0100)
            XCTAssertEqual(next(8), text.utf8.count)
            XCTAssertEqual(String(decoding: text.utf8.map { _ in UInt8(next(8)) }, as: UTF8.self), text)
        }
    }

    func testATextThatDoesNotFitOnATerminalHasNoCode() {
        XCTAssertNotNil(QRCode(String(repeating: "a", count: 850)))
        XCTAssertNil(QRCode(String(repeating: "a", count: 900)))
    }

    /// The modules of a code of version 1 in the order of the standard, without the mask.
    private func readBits(_ modules: [[Bool]]) -> [Bool] {
        var bits: [Bool] = []
        for (turn, right) in [20, 18, 16, 14, 12, 10, 8, 5, 3, 1].enumerated() {
            for step in 0..<21 {
                let row = turn % 2 == 0 ? 20 - step : step
                for column in [right, right - 1] {
                    let isPattern = row == 6 || (row < 9 && (column < 9 || column > 12)) || (row > 12 && column < 9)
                    if !isPattern { bits.append(modules[row][column] != ((row + column) % 2 == 0)) }
                }
            }
        }
        return bits
    }
}
