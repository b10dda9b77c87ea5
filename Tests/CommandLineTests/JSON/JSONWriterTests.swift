import Foundation
import XCTest

@testable import freshet_cli

final class JSONWriterTests: XCTestCase {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    func testAnyStringSurvivesEncodingAndDecoding() throws {
        let texts = (0..<0x90).map { String(UnicodeScalar($0)!) } + ["é", "\u{2028}", "👩‍👩‍👧", "\"\\\u{1F}", ""]
        for text in texts {
            // The text is at each place of the eight bytes that the writer checks together, and in the rest.
            for length in 0...17 {
                let padding = String(repeating: "x", count: length)
                let whole = padding + text + padding + text
                let json = written { $0.string(whole) }
                let read = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
                XCTAssertEqual(read as? String, whole, json)
            }
        }
    }

    func testTheFirstCharacterToEscapeIsFoundAtAnyPosition() {
        for byte in UInt8.min...UInt8.max {
            for position in 0..<20 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 20)
                bytes[position] = byte
                let found = bytes.withUnsafeBufferPointer { JSONText.firstToEscape(in: $0, from: 0) }
                let isOne = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                XCTAssertEqual(found, isOne ? position : 20, "\(byte) at \(position)")
            }
        }
    }

    func testBytesAreValidatedAsUTF8() {
        for length in 0...17 {
            let padding = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            XCTAssertTrue(JSONText.isUTF8(padding))
            XCTAssertTrue(JSONText.isUTF8(padding + "é".utf8 + padding))
            XCTAssertFalse(JSONText.isUTF8(padding + [0xFF] + padding))
            XCTAssertFalse(JSONText.isUTF8(padding + [0xC3]))
        }
    }

    func testNumbersAreWrittenExactly() {
        for number in [0, 7, 10, 200, 1_234_567_890, -5, .max, .min] {
            XCTAssertEqual(written { $0.number(number) }, String(number))
        }
        let thousandths = [(0, "0.0"), (1, "0.001"), (10, "0.01"), (1900, "1.9"), (12_345, "12.345"), (2_000, "2.0")]
        for (number, text) in thousandths { XCTAssertEqual(written { $0.thousandths(number) }, text) }
    }

    func testMembersAndElementsAreSeparated() {
        let json = written { writer in
            writer.object { object in
                object.member("a") { $0.null() }
                object.member("b") { list in
                    list.array { list in
                        list.number(1)
                        list.object { _ in }
                        list.raw("true".utf8)
                    }
                }
            }
        }
        XCTAssertEqual(json, #"{"a":null,"b":[1,{},true]}"#)
    }
}
