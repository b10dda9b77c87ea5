import Freshet
import FreshetCore
import FreshetHTTPTesting
import RecordingBackends
import XCTest

final class RuntimeMetricsTests: ResourceTestCase {
    /// A process that outlives its runtime reported the connections of its last moment for ever.
    func testARuntimeThatHasEndedReportsNoConnections() async throws {
        let backend = RecordingMetrics()
        var metrics = RequestMetrics(factory: backend)
        metrics.connectionsPeriod = .milliseconds(1)
        var configuration = FreshetRuntime.Configuration()
        configuration.monitors = [metrics]
        let runtime = try FreshetRuntime(configuration: configuration)
        let server = try ScriptedServer(on: runtime.loop)
        server.route { _ in ScriptedResponse(body: "x") }
        let idle = "http.client.open_connections{http.connection.state=idle}"
        _ = try await runtime.client.get(server.url).value
        let reports = Observable<Int>.interval(.milliseconds(1), scheduler: runtime.scheduler)
        _ = try await reports.filter { _ in backend.values[idle]?.last == 1 }.take(1).toArray().value
        server.close()
        runtime.shutdown()
        XCTAssertEqual(backend.values[idle]?.last, 0)
        XCTAssertEqual(backend.values["http.client.open_connections{http.connection.state=active}"]?.last, 0)
    }
}
