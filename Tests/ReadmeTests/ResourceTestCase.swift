import Freshet
import XCTest

/// The base class of tests that end with as many live resources as they began with.
class ResourceTestCase: XCTestCase {
    private var resources = 0

    override func setUpWithError() throws {
        resources = Resources.total
    }

    // XCTest calls this method after `tearDown`, in which a test can end what it has started.
    override func tearDownWithError() throws {
        // The thread of a task can release a resource shortly after the task has ended, also during the next test.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total > resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertLessThanOrEqual(Resources.total, resources, "live resources are left")
    }
}
