import CoreMetrics
import Foundation
import Freshet
import InMemoryTracing
import Logging
import RecordingBackends
import ServiceLifecycle
import Tracing
import UnixSignals

/// A service that asks for an exchange rate ten times a second, until it is told to stop:
///
///     ServiceExample http://127.0.0.1:8080/rates/eur
@main
struct Rates {
    static func main() async throws {
        // In memory, so that the end can show what was told; a service has its exporters here.
        let metrics = RecordingMetrics()
        let tracer = InMemoryTracer()
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(tracer)

        var configuration = FreshetRuntime.Configuration()
        configuration.monitors = [RequestLog(), RequestMetrics(), RequestTracing()]
        configuration.gracePeriod = .seconds(10)
        let runtime = try FreshetRuntime(configuration: configuration)
        let client = runtime.client.with(interceptors: [RetryPolicy(limit: 3)])
        let watch = RateWatch(url: CommandLine.arguments[1], client: client, scheduler: runtime.scheduler)

        // The runtime comes first, because a group ends its services in the reverse of their order.
        let logger = Logger(label: "rates")
        let group = ServiceGroup(services: [runtime, watch], gracefulShutdownSignals: [.sigterm], logger: logger)
        do {
            try await group.run()
        } catch {
            logger.critical("the service has ended: \(error)")
            exit(1)
        }

        let durations = metrics.values.filter { $0.key.hasPrefix("http.client.request.duration{") }.flatMap(\.value)
        let spans = tracer.finishedSpans
        print("\(durations.count) durations, \(spans.count { $0.operationName == "check" }) checks")
    }
}
