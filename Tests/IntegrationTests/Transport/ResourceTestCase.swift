import FreshetCore
import XCTest

/// A test that fails if more or fewer resources are alive at its end than at its beginning.
class ResourceTestCase: XCTestCase {
    private var resources = 0

    override func setUpWithError() throws {
        resources = Resources.total
    }

    // XCTest calls this after the test's own `tearDown`.
    override func tearDownWithError() throws {
        // A thread of a task may release the test's objects a moment after its part of the test.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resources, "live resources are left")
    }
}
