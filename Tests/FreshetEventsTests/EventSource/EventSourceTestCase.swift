import FreshetCore
import XCTest

/// A test on a bench of its own. It fails if resources are left at its end.
class EventSourceTestCase: XCTestCase {
    private var resources = 0
    var bench: EventSourceBench!

    override func setUp() {
        resources = Resources.total
        bench = EventSourceBench()
    }

    override func tearDown() {
        bench = nil
        XCTAssertEqual(Resources.total, resources)
    }
}
