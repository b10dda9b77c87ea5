import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// A test on a stubbed transport and virtual time. It fails if resources are left at its end.
class StubbedTestCase: XCTestCase {
    private var resources = 0
    private(set) var scheduler: TestScheduler!
    private(set) var transport: StubTransport!

    override func setUp() {
        resources = Resources.total
        scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        transport = StubTransport(scheduler: scheduler)
    }

    override func tearDown() {
        scheduler = nil
        transport = nil
        XCTAssertEqual(Resources.total, resources)
    }
}

/// An adapter that takes five seconds.
struct SlowAdapter: RequestInterceptor {
    let scheduler: TestScheduler

    func adapt(_ request: inout Request) -> Adaptation {
        .waiting(.just(request).delay(.seconds(5), scheduler: scheduler))
    }
}
