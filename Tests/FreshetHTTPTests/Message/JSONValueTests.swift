import Foundation
import FreshetHTTP
import FreshetTesting
import XCTest

final class JSONValueTests: XCTestCase {
    func testTextsOfAllKindsAreRead() throws {
        XCTAssertEqual(
            try JSONValue(#" {"a":[1,-2.5e1,true,false,null,"\u00e9\ud83d\ude00\n\/"]} "#.utf8),
            .object(["a": .array([.number(1), .number(-25), .bool(true), .bool(false), .null, .string("é😀\n/")])]))
        XCTAssertEqual(try JSONValue([0xEF, 0xBB, 0xBF] + Array("{}".utf8)), .object([:]), "a byte order mark")
        XCTAssertEqual(try JSONValue(#"{"a":1,"a":2}"#.utf8), .object(["a": .number(2)]))
    }

    /// A `Double` keeps 53 bits, and identifiers often have 64.
    func testWholeNumbersKeepTheirDigits() throws {
        for digits in [
            "9007199254740993", "-9223372036854775808", "18446744073709551615", "123456789012345678901234567890",
        ] {
            let text = Array("[\(digits)]".utf8)
            for value in [try JSONValue(text), try JSONDecoder().decode(JSONValue.self, from: Data(text))] {
                XCTAssertEqual(value.elements.first?.text, digits)
                XCTAssertEqual(String(decoding: try value.encoded(), as: UTF8.self), "[\(digits)]")
            }
        }
        guard case .number(let number) = try JSONValue("1234567890123456789".utf8) else { return XCTFail("no number") }
        XCTAssertEqual(Int64(exactly: number), 1_234_567_890_123_456_789)
        XCTAssertNil(Int32(exactly: number))
        XCTAssertEqual(Double(number), 1_234_567_890_123_456_768)
    }

    /// Encoders and decoders of property lists know no integers of 128 bits.
    func testWholeNumbersGoThroughOtherEncoders() throws {
        let value: JSONValue = [1, 9_007_199_254_740_993, -1, 0.5]
        let list = try PropertyListEncoder().encode(value)
        XCTAssertEqual(try PropertyListDecoder().decode(JSONValue.self, from: list), value)
        let large = try JSONValue("[18446744073709551615]".utf8)
        XCTAssertEqual(
            try PropertyListDecoder().decode(JSONValue.self, from: PropertyListEncoder().encode(large)), large)
    }

    func testEqualNumbersAreEqualHoweverTheyAreWritten() throws {
        for text in ["1", "1.0", "1e0", "10E-1"] {
            XCTAssertEqual(try JSONValue(text.utf8), 1)
            XCTAssertEqual(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)), 1.0)
        }
        guard case .number(let half) = try JSONValue("0.5".utf8) else { return XCTFail("no number") }
        XCTAssertNil(Int(exactly: half))
        XCTAssertEqual(half.description, "0.5")
        XCTAssertEqual(String(decoding: try JSONValue("1e300".utf8).encoded(), as: UTF8.self), "1e+300")
    }

    func testWrongTextsAreRefusedWithTheirPlace() {
        for (text, offset) in [
            ("", 0), ("[1,]", 3), ("{\"a\" 1}", 5), ("01", 1), ("1 2", 2), ("\"\u{1}\"", 1), ("[1,{\"a\":1e999}]", 8),
            ("\"\\ud800\"", 1), ("tru", 0), ("-", 1), ("1.", 2), ("\"a", 2), ("{\"a\":1,}", 7),
        ] {
            XCTAssertThrowsError(try JSONValue(text.utf8), text) { error in
                XCTAssertEqual((error as? JSONError)?.offset, offset, text)
            }
        }
        XCTAssertThrowsError(try JSONValue([0x22, 0xFF, 0x22]))
        XCTAssertThrowsError(try JSONValue(String(repeating: "[", count: 100_000).utf8))
    }

    /// The time of a decoder that tries one type after the other grows with the square of the depth, and this text would take
    /// minutes.
    func testADeepTextOfManyStringsIsReadOnce() throws {
        let strings = String(repeating: "\"\",", count: 100_000)
        let text = String(repeating: "[", count: 500) + strings + "0" + String(repeating: "]", count: 500)
        var value = try JSONValue(text.utf8)
        for _ in 1..<500 {
            guard case .array(let elements) = value, elements.count == 1 else { return XCTFail("not nested") }
            value = elements[0]
        }
        guard case .array(let elements) = value else { return XCTFail("no array") }
        XCTAssertEqual(elements.count, 100_001)
    }

    /// Foundation also reads lists that end with a comma, and refuses `-0.0e-3`.
    func testFoundationReadsTheSameValues() {
        var count = 0
        let samples = [
            #"{"access_token":"a\u0041\n","expires_in":3600,"scope":["x",null,true,-0.5e-3]}"#, "[[[]],{}]",
            #""\ud83d\ude00é""#, "123.0E+2",
        ]
        var random = SplitMix64(seed: 0x7501)
        for round in 0..<4000 {
            var bytes = Array(samples[round % samples.count].utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = "{}[]\",:\\u0e-+.t 9".utf8.randomElement(using: &random)!
                case 1: bytes.remove(at: place)
                default: bytes.insert("{}[]\",:\\u0e-+.t 9".utf8.randomElement(using: &random)!, at: place)
                }
            }
            guard let ours = try? JSONValue(bytes),
                let theirs = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            else { continue }
            count += 1
            XCTAssertEqual(ours, theirs, String(decoding: bytes, as: UTF8.self))
        }
        XCTAssertGreaterThan(count, 1500)
    }
}
