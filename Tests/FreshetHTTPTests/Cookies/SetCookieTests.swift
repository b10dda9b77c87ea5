import FreshetTesting
import XCTest

@testable import FreshetHTTP

final class SetCookieTests: XCTestCase {
    private func pair(_ field: String) -> String? { SetCookie(field).map { "\($0.name)=\($0.value)" } }

    func testTheNameAndTheValueEndAtTheFirstSemicolon() {
        for (field, expected) in [
            ("a=b", "a=b"), (" a = b ;x", "a=b"), ("a=", "a="), ("a=b=c", "a=b=c"), ("a=\"b c\"", "a=\"b c\""),
            ("a=b,c=d", "a=b,c=d"), ("ä=ö", "ä=ö"), ("a b=c\td", "a b=c\td"), ("a=b;", "a=b"), ("a=b;;;secure", "a=b"),
        ] {
            XCTAssertEqual(pair(field), expected, field)
        }
    }

    func testAFieldWithoutANameIsRefused() {
        for field in ["", "a", "=b", " =b", ";a=b", "a\u{0}=b", "a=b\u{7F}", "a=b\nc"] {
            XCTAssertNil(pair(field), field)
        }
    }

    func testAValueBeyondTheLimitIsRefused() {
        XCTAssertNotNil(SetCookie("a=" + String(repeating: "b", count: 4095)))
        XCTAssertNil(SetCookie("a=" + String(repeating: "b", count: 4096)))
    }

    func testAttributeNamesAreCaseInsensitiveAndTheLastCounts() throws {
        let cookie = try XCTUnwrap(
            SetCookie("a=b; PATH=/x; path=/y; Domain=.Example.COM; SECURE; httponly=no; max-age=5; Max-Age=7; foo=bar"))
        XCTAssertEqual(cookie.path, "/y")
        XCTAssertEqual(cookie.domain, "example.com")
        XCTAssertTrue(cookie.isSecure && cookie.isHTTPOnly)
        XCTAssertEqual(cookie.maximumAge, 7)
    }

    func testAnInvalidAttributeValueIsIgnored() throws {
        let cookie = try XCTUnwrap(SetCookie("a=b; max-age=x; max-age=1x; max-age=-; expires=soon; path=x; domain="))
        XCTAssertNil(cookie.maximumAge)
        XCTAssertNil(cookie.expires)
        XCTAssertNil(cookie.path)
        XCTAssertEqual(cookie.domain, "")
        XCTAssertEqual(SetCookie("a=b; max-age=-5")?.maximumAge, -5)
        XCTAssertEqual(SetCookie("a=b; max-age=99999999999999999999")?.maximumAge, .max)
    }

    func testADateIsParsedInTheFormatsThatServersSend() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "06 november 1994 8:49:37", "1994 6 Nov 08:49:37", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Nov 6 08:49:37x 1994",
        ] {
            XCTAssertEqual(CookieDate.secondsSince1970(text), 784_111_777, text)
        }
        XCTAssertEqual(CookieDate.secondsSince1970("1 Jan 69 00:00:00"), 3_124_224_000)
        for text in [
            "", "6 Nov 1994", "6 Nov 08:49:37", "31 Feb 1994 08:49:37", "6 Nov 1500 08:49:37", "6 Nov 1994 24:00:00",
        ] {
            XCTAssertNil(CookieDate.secondsSince1970(text), text)
        }
    }

    func testRandomFieldsAreParsedOrRefused() {
        var random = SplitMix64(seed: 6265)
        let pieces = [
            "a", "=", ";", " ", "\t", "max-age", "expires", "path", "/", "domain", ".", "-", "9", ":", "Nov", "é", ",",
        ]
        for _ in 0..<20_000 {
            let field = (0..<Int(random.next() % 24)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                .joined()
            if let cookie = SetCookie(field) { XCTAssertFalse(cookie.name.isEmpty || cookie.name.contains("="), field) }
        }
    }
}
