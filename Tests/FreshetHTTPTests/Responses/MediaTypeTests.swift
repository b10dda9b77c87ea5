import FreshetHTTP
import XCTest

final class MediaTypeTests: XCTestCase {
    func testATypeIsParsedWithItsParameters() throws {
        let type = try XCTUnwrap(MediaType("Text/HTML; Charset=\"utf-8\" ; x=1"))
        XCTAssertEqual(type.type, "text")
        XCTAssertEqual(type.subtype, "html")
        XCTAssertEqual(type["CHARSET"], "utf-8")
        XCTAssertEqual(type["x"], "1")
        XCTAssertNil(type["y"])
    }

    func testQuotedValuesMayContainAnyCharacter() {
        XCTAssertEqual(MediaType("a/b; x=\"one; charset=no \\\" \\\\\"; charset=yes")?["charset"], "yes")
        XCTAssertEqual(MediaType("a/b; x=\"one; charset=no \\\" \\\\\"; charset=yes")?["x"], "one; charset=no \" \\")
        XCTAssertEqual(MediaType("a/b; x=\"open; y=1")?["x"], "open; y=1")
        XCTAssertEqual(MediaType("a/b; x=\"\"")?["x"], "")
    }

    func testInvalidParametersAreIgnored() {
        XCTAssertEqual(MediaType("a/b;;charset=utf-8;")?["charset"], "utf-8")
        XCTAssertEqual(MediaType("a/b; charset; charset = x; charset=; charset=utf-8")?["charset"], "utf-8")
        XCTAssertEqual(MediaType("a/b; charset=one; charset=two")?["charset"], "one")
        XCTAssertEqual(MediaType("a/b;charset=utf-8 (as ever)")?["charset"], "utf-8")
    }

    func testAnInvalidTypeIsRefused() {
        for text in ["", " ", "text", "text/", "/html", "text html", "text/html, text/plain", "te xt/html", "a/b c"] {
            XCTAssertNil(MediaType(text), text)
        }
    }

    func testARandomTypeIsParsedOrRefused() {
        let alphabet = Array("a/b;= \t\"\\charset,é\0".unicodeScalars)
        var random = Numbers(seed: 11)
        for _ in 0..<20_000 {
            var text = "a/b"
            for _ in 0..<random.next(below: 24) {
                text.unicodeScalars.append(alphabet[random.next(below: alphabet.count)])
            }
            guard let type = MediaType(text) else { continue }
            XCTAssertEqual(MediaType(text), type)
            XCTAssertFalse(type.type.isEmpty || type.subtype.isEmpty)
            XCTAssertLessThanOrEqual(type.parameters.count, text.count)
            for parameter in type.parameters { XCTAssertFalse(parameter.name.isEmpty) }
        }
    }
}

/// A generator that returns the same numbers in each run.
struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
