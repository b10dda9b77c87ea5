import FreshetCore
import XCTest

/// A test that ends with as many live resources as it began with.
class CoreTestCase: XCTestCase {
    private var before = 0

    override func setUp() {
        super.setUp()
        before = Resources.total
    }

    override func tearDown() {
        XCTAssertEqual(Resources.total, before, "live resources are left")
        super.tearDown()
    }
}

enum Fault: Error, Equatable {
    case first, second
}
