import FreshetCore
import XCTest

/// A test that fails if more or fewer resources are alive at its end than at its beginning.
class CoreTestCase: XCTestCase {
    private var before = 0

    override func setUp() {
        super.setUp()
        before = Resources.total
    }

    override func tearDown() {
        // A thread may release the test's objects a moment after its part of the test.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != before, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, before, "live resources are left")
        super.tearDown()
    }
}

enum Fault: Error, Equatable {
    case first, second
}
