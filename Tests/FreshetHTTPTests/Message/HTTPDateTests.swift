import XCTest

@testable import FreshetHTTP

final class HTTPDateTests: XCTestCase {
    func testAllThreeFormatsGiveTheSameTime() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] {
            XCTAssertEqual(HTTPDate.secondsSince1970(text), 784_111_777, text)
        }
    }

    func testLeapDaysAndLeapSecondsAreParsed() {
        XCTAssertEqual(HTTPDate.secondsSince1970("Thu, 29 Feb 2024 00:00:00 GMT"), 1_709_164_800)
        XCTAssertEqual(HTTPDate.secondsSince1970("Sat, 31 Dec 2016 23:59:60 GMT"), 1_483_228_800)
        XCTAssertNil(HTTPDate.secondsSince1970("Wed, 29 Feb 2023 00:00:00 GMT"))
    }

    func testAnInvalidDateIsRefused() {
        for text in [
            "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 31 Apr 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        ] {
            XCTAssertNil(HTTPDate.secondsSince1970(text), text)
        }
    }
}
