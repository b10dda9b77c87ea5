import Freshet
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// A client without a network on virtual time. The test fails if resources are left at its end.
class MonitoringTestCase: XCTestCase {
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

    func client(
        _ monitors: any ClientMonitor..., layers: [any TransportLayer] = [],
        interceptors: [any RequestInterceptor] = []
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.monitors = monitors
        return HTTPClient(
            transport: transport, scheduler: scheduler, layers: layers, interceptors: interceptors,
            configuration: configuration)
    }

    /// Runs the virtual clock until no work is left.
    func run(_ client: HTTPClient, _ request: Request) {
        let subscription = client.send(request).subscribe { _ in }
        scheduler.start()
        subscription.dispose()
    }
}
