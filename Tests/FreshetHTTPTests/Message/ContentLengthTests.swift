import FreshetHTTP
import HTTPTypes
import XCTest

final class ContentLengthTests: XCTestCase {
    private func length(_ values: String...) -> Int? {
        HTTPFields(values.map { HTTPField(name: .contentLength, value: $0) }).contentLength
    }

    func testALengthIsANumberInDigits() {
        XCTAssertEqual(length("0"), 0)
        XCTAssertEqual(length("1024"), 1024)
    }

    func testALengthThatIsRepeatedCountsAsOne() {
        XCTAssertEqual(length("7", "7"), 7)
    }

    func testAMissingLengthIsUnknown() {
        XCTAssertNil(length())
    }

    func testALengthWithAnythingButDigitsIsUnknown() {
        for value in ["", "+7", "-7", "7 bytes", "0x7", "7, 7", "99999999999999999999"] {
            XCTAssertNil(length(value), value)
        }
    }
}
