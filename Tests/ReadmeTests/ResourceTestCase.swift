import Freshet
import XCTest

/// A test after which there are as many live resources as before.
class ResourceTestCase: XCTestCase {
    private var resources = 0

    override func setUpWithError() throws {
        resources = Resources.total
    }

    // After what the test's own `tearDown` ends.
    override func tearDownWithError() throws {
        // A task's thread that has done its part of a test lets go of it a moment later.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total > resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertLessThanOrEqual(Resources.total, resources, "live resources are left")
    }
}
