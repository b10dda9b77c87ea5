import XCTest

@testable import FreshetSignIn

final class CallbackTests: XCTestCase {
    func testNoDescriptionOfACallbackHasItsCodeOrItsState() {
        let callback = Callback(query: "code=secret-c&state=secret-s")
        var dumped = "\(callback) \(String(reflecting: callback))"
        dump(callback, to: &dumped)
        XCTAssertTrue(dumped.contains("code"))
        XCTAssertFalse(dumped.contains("secret"), dumped)
    }

    func testAPercentSignNeedsTwoHexadecimalDigits() {
        for text in ["%+5", "%-1", "% 1", "%5", "%", "%g1"] {
            XCTAssertNil(Callback(query: "code=a\(text)")["code"], text)
        }
        XCTAssertEqual(Callback(query: "code=%2f%2F+%C3%A9")["code"], "// é")
    }
}
