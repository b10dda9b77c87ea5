import FreshetCore
import FreshetLoop
import Glibc
import XCTest

final class LoopErrorTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testALackOfDescriptorsInTheProcessAndOnTheMachineIsToldApartFromOtherLacks() {
        XCTAssertTrue(LoopError(code: -EMFILE).isOutOfDescriptors)
        XCTAssertTrue(LoopError(code: -ENFILE).isOutOfDescriptors)
        XCTAssertFalse(LoopError(code: -ENOMEM).isOutOfDescriptors)
    }
}
