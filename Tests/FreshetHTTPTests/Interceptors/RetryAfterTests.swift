import XCTest

@testable import FreshetHTTP

final class RetryAfterTests: XCTestCase {
    func testANumberOfSecondsIsADelay() {
        XCTAssertEqual(RetryAfter("120")?.delay(at: 0), .seconds(120))
        XCTAssertEqual(RetryAfter("0")?.delay(at: 0), .zero)
    }

    func testADateIsADelayUntilThatTime() {
        XCTAssertEqual(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT")?.delay(at: 784_111_767), .seconds(10))
        XCTAssertEqual(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT")?.delay(at: 784_111_787), .zero)
    }

    func testAnyOtherTextIsNoDelay() {
        for text in ["", "soon", "-1", "+5", "1.5", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT"] {
            XCTAssertNil(RetryAfter(text), text)
        }
    }

    func testAHugeDelayDoesNotOverflow() {
        for text in ["9223372036854775807", "99999999999999999999"] {
            XCTAssertEqual(RetryAfter(text)?.delay(at: 0), .seconds(31_536_000), text)
        }
    }
}
