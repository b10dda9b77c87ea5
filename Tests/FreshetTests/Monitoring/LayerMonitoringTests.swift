import Freshet
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import InMemoryTracing
import RecordingBackends
import Tracing
import XCTest

final class LayerMonitoringTests: MonitoringTestCase {
    private let tracer = InMemoryTracer()

    func testLayerEventsAreCountedAndAHitIsNotCountedAsARequest() throws {
        let metrics = RecordingMetrics()
        let layers: [any TransportLayer] = [
            HTTPCache(store: MemoryCacheStore(), secondsSince1970: { 0 }),
            RateLimit(.fixed(perSecond: 1), scheduler: scheduler),
        ]
        transport.enqueue(ScriptedResponse(headers: [.cacheControl: "max-age=100"]), ScriptedResponse())
        let client = client(RequestMetrics(factory: metrics), layers: layers)
        for path in ["a", "a", "b"] { run(client, try Request(.get, "http://a/\(path)")) }
        func values(_ label: String) -> [String: [Double]] { metrics.values.filter { $0.key.hasPrefix(label) } }
        let server = "server.address=a,server.port=80"
        XCTAssertEqual(
            values("freshet.layer.events"),
            [
                "freshet.layer.events{freshet.layer.name=cache,freshet.layer.event=hit,\(server)}": [1],
                "freshet.layer.events{freshet.layer.name=cache,freshet.layer.event=miss,\(server)}": [1, 1],
                "freshet.layer.events{freshet.layer.name=rate_limit,freshet.layer.event=waited,\(server)}": [1],
            ])
        XCTAssertEqual(
            values("freshet.layer.wait.duration"),
            ["freshet.layer.wait.duration{freshet.layer.name=rate_limit,\(server)}": [1e9]])
        XCTAssertEqual(values("http.client.request.duration").values.map(\.count), [2])
    }

    func testARequestThatItsSecondAttemptWinsIsOneRequestSinceTheFirstAttempt() throws {
        let metrics = RecordingMetrics()
        let scheduler = try XCTUnwrap(scheduler)
        func response(after delay: Duration) -> ScriptedResponse {
            .deferred(Observable<Int>.timer(delay, scheduler: scheduler).asSingle().map { _ in ScriptedResponse() })
        }
        transport.enqueue(
            response(after: .milliseconds(10)), response(after: .seconds(5)), response(after: .milliseconds(10)))
        var settings = Hedging.Settings()
        (settings.minimumDelay, settings.minimumResponses) = (.milliseconds(500), 1)
        let budget = RetryBudget(ratio: 0, minimumPerSecond: 10, scheduler: scheduler)
        let client = client(
            RequestMetrics(factory: metrics), layers: [Hedging(settings, budget: budget, scheduler: scheduler)])
        for _ in 0..<2 { run(client, try Request(.get, "http://a/")) }
        XCTAssertEqual(transport.requestCount, 3)
        let durations = metrics.values.filter { $0.key.hasPrefix("http.client.request.duration") }
        XCTAssertEqual(Array(durations.values), [[10e6, 510e6]])
        let target = "http.request.method=GET,server.address=a,server.port=80"
        XCTAssertEqual(metrics.values["http.client.active_requests{\(target)}"], [1, -1, 1, -1])
    }

    func testAConfirmedResponseCountsAsThe304ThatTheServerHasSent() throws {
        let metrics = RecordingMetrics()
        transport.enqueue(
            ScriptedResponse(headers: [.eTag: "\"1\"", .cacheControl: "no-cache"], body: "12 bytes long"),
            ScriptedResponse(status: .notModified))
        let client = client(
            RequestMetrics(factory: metrics),
            layers: [HTTPCache(store: MemoryCacheStore(), secondsSince1970: { 0 })])
        for _ in 0..<2 { run(client, try Request(.get, "http://a/")) }
        let durations = metrics.values.filter { $0.key.hasPrefix("http.client.request.duration") }
        XCTAssertEqual(durations.keys.filter { $0.contains("status_code=200") }.map { durations[$0]?.count }, [1])
        XCTAssertEqual(durations.keys.filter { $0.contains("status_code=304") }.map { durations[$0]?.count }, [1])
        let sizes = metrics.values.filter { $0.key.hasPrefix("http.client.response.body.size") }
        XCTAssertEqual(sizes.first { $0.key.contains("status_code=304") }?.value, [0])
    }

    func testLayerEventsAreInTheSpanAndAHitHasItsOwnSpan() throws {
        let layers: [any TransportLayer] = [
            HTTPCache(store: MemoryCacheStore(), secondsSince1970: { 0 }),
            RateLimit(.fixed(perSecond: 1), scheduler: scheduler),
        ]
        transport.enqueue(ScriptedResponse(headers: [.cacheControl: "max-age=100"]), ScriptedResponse())
        let client = client(RequestTracing(tracer: tracer), layers: layers)
        for path in ["a", "a", "b"] { run(client, try Request(.get, "http://a/\(path)")) }
        XCTAssertEqual(tracer.finishedSpans.map(\.kind), [.client, .internal, .client])
        XCTAssertEqual(
            tracer.finishedSpans.map { $0.events.map(\.name) },
            [
                ["freshet.layer.cache.miss"], ["freshet.layer.cache.hit"],
                ["freshet.layer.rate_limit.waited", "freshet.layer.cache.miss"],
            ])
        XCTAssertEqual(tracer.finishedSpans[1].attributes.get("http.response.status_code"), .int64(200))
        XCTAssertEqual(tracer.activeSpans.count, 0)
    }

    func testARetryThatALayerRefusesHasAFailedSpanAfterThatOfTheFirstAttempt() throws {
        var settings = CircuitBreaker.Settings()
        settings.minimumCalls = 1
        transport.route { _ in ScriptedResponse(status: .serviceUnavailable) }
        let client = client(
            RequestTracing(tracer: tracer), layers: [CircuitBreaking(settings, scheduler: scheduler)],
            interceptors: [RetryPolicy(limit: 1)])
        run(client, try Request(.get, "http://a/"))
        XCTAssertEqual(transport.requestCount, 1)
        let spans = tracer.finishedSpans
        XCTAssertEqual(spans.map(\.kind), [.client, .internal])
        XCTAssertEqual(spans.last?.attributes.get("error.type"), .string("circuit_open"))
        XCTAssertEqual(spans.last?.events.map(\.name), ["freshet.layer.circuit_breaker.refused"])
        XCTAssertEqual(tracer.activeSpans.count, 0)
    }

    func testARequestThatALayerRefusesHasAFailedSpan() throws {
        transport.route { _ in .silence }
        let client = client(RequestTracing(tracer: tracer), layers: [Bulkhead(limit: 1, queueLimit: 0)])
        let request = try Request(.get, "http://a/")
        let subscriptions = (0..<2).map { _ in client.send(request).subscribe { _ in } }
        let span = try XCTUnwrap(tracer.finishedSpans.first)
        XCTAssertEqual(span.kind, .internal)
        XCTAssertEqual(span.status?.code, .error)
        XCTAssertEqual(span.attributes.get("error.type"), .string("overloaded"))
        subscriptions.forEach { $0.dispose() }
        XCTAssertEqual(tracer.activeSpans.count, 0)
    }
}
