import XCTest

@testable import FreshetCurl

final class KeptHandlesTests: XCTestCase {
    func testOnlyAVersionWithTheDefectHasItsLinesPinned() {
        let isAffected = (0x07_53_00..<0x08_01_00).contains(CurlVersion.number)
        XCTAssertEqual(KeptHandles.safety == .safe, !isAffected)
        if Quirks.areOff { XCTAssertNotEqual(KeptHandles.safety, .safeWhenPinned) }
    }

    func testAHandleOfWhichNoLineIsKnownIsNotKeptWhereTheDefectIs() {
        let line = LastHeaderLine()
        XCTAssertEqual(line.pin(), KeptHandles.safety == .safe)
    }
}
