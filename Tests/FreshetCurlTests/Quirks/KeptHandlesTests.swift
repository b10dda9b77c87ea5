import XCTest

@testable import FreshetCurl

final class KeptHandlesTests: XCTestCase {
    func testOnlyAVersionWithTheDefectPinsItsHeaderLines() {
        let isAffected = (0x07_53_00..<0x08_01_00).contains(CurlVersion.number)
        XCTAssertEqual(KeptHandles.safety == .safe, !isAffected)
        if Quirks.areOff { XCTAssertNotEqual(KeptHandles.safety, .safeWhenPinned) }
    }

    func testAHandleWithoutAKnownLineIsNotKeptInAVersionWithTheDefect() {
        let line = LastHeaderLine()
        XCTAssertEqual(line.pin(), KeptHandles.safety == .safe)
    }
}
