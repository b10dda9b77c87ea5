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
        // A thread that has done its part of a test lets go of it a moment later.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != before, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, before, "live resources are left")
        super.tearDown()
    }
}

enum Fault: Error, Equatable {
    case first, second
}
