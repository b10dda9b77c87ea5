import Freshet
import FreshetCore
import FreshetHTTPTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import RecordingBackends
import Tracing
import XCTest

/// Tests that no monitor reports a secret of a request that has one in each place.
final class SecretsTests: ResourceTestCase {
    func testNoMonitorRecordsASecret() async throws {
        let secret = "s3cr3t"
        let lines = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in lines }
        logger.logLevel = .trace
        let backend = RecordingMetrics()
        let tracer = InMemoryTracer()
        let events = ClientEvents()
        let recorded = Locked<[String]>([])
        let watching = events.asObservable().subscribe(onNext: { event in
            var dumped = ""
            dump(event, to: &dumped)
            recorded.withLock {
                $0 += ["\(event)", String(reflecting: event), dumped, "\(event.kind)", "\(event.request)"]
            }
        })
        var metrics = RequestMetrics(factory: backend)
        metrics.connectionsPeriod = .milliseconds(1)

        let loop = try Loop()
        let proxy = try ScriptedServer(on: loop)
        proxy.route { request in
            switch request.target.split(separator: "?").first {
            case "http://a.example/moved":
                ScriptedResponse(
                    status: .found, headers: [.location: "/there?token=\(secret)", .setCookie: "k=\(secret)"])
            case "http://a.example/refused":
                ScriptedResponse(status: .serviceUnavailable, headers: [.wwwAuthenticate: secret], body: secret)
            case "http://a.example/cut":
                ScriptedResponse(body: "\(secret)\(secret)").truncated(after: 6)
            default:
                ScriptedResponse(headers: [.setCookie: "k=\(secret)"], body: secret)
            }
        }
        var configuration = FreshetRuntime.Configuration()
        configuration.monitors = [
            RequestLog(logger), metrics, RequestTracing(tracer: tracer), events,
        ]
        configuration.transport.proxy = .url("http://user:\(secret)@127.0.0.1:\(proxy.port)")
        let runtime = try FreshetRuntime(configuration: configuration)
        let client = runtime.client.with(interceptors: [RetryPolicy(limit: 1, random: { 0 })])
        for path in ["moved", "refused", "cut", "fine"] {
            let request = try Request(
                .post, "http://a.example/\(path)?key=\(secret)&\(secret)",
                headers: [
                    .authorization: "Bearer \(secret)", .cookie: secret, .proxyAuthorization: secret,
                    HTTPField.Name("X-Api-Key")!: secret, .referer: "http://b/?\(secret)",
                ],
                body: .text(secret))
            _ = try? await client.send(request).value
            recorded.withLock { $0.append(request.curlDescription) }
        }
        for _ in 0..<20_000 where backend.values.keys.allSatisfy({ !$0.hasPrefix("http.client.open") }) { usleep(1000) }
        await runtime.shutdown(gracePeriod: .seconds(1))
        watching.dispose()
        proxy.close()
        loop.shutdown()

        // The secrets were on the wire.
        XCTAssertTrue(proxy.requests.contains { String(decoding: $0.body, as: UTF8.self) == secret })
        let all = [
            "lines": lines.entries.map { "\($0)" }, "figures": Array(backend.values.keys),
            "spans": tracer.finishedSpans.map(Self.text),
            "injections": tracer.performedContextInjections.map { "\($0)" },
            "events": recorded.withLock { $0 },
        ]
        for (what, texts) in all {
            XCTAssertFalse(texts.isEmpty, what)
            XCTAssertEqual(texts.filter { $0.contains(secret) }, [], what)
        }
    }

    private static func text(of span: FinishedInMemorySpan) -> String {
        var attributes: [String] = []
        span.attributes.forEach { attributes.append("\($0)=\($1)") }
        return "\(span.operationName) \(attributes) \(String(describing: span.status)) \(span.events) \(span.errors)"
    }
}
