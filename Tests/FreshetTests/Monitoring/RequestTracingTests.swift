import Freshet
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import InMemoryTracing
import Tracing
import XCTest

final class RequestTracingTests: MonitoringTestCase {
    private let tracer = InMemoryTracer()

    private func attributes(_ span: FinishedInMemorySpan) -> [String: String] {
        var all: [String: String] = [:]
        span.attributes.forEach { all[$0] = "\($1)" }
        return all
    }

    func testASpanHasTheNamesOfTheConventions() throws {
        transport.enqueue(ScriptedResponse(body: "hello"))
        run(client(RequestTracing(tracer: tracer)), try Request(.get, "https://a.example/x?sig=secret"))
        let span = try XCTUnwrap(tracer.finishedSpans.first)
        XCTAssertEqual(span.operationName, "GET")
        XCTAssertEqual(span.kind, .client)
        XCTAssertNil(span.status)
        XCTAssertEqual(span.attributes.get("http.request.method"), .string("GET"))
        XCTAssertEqual(span.attributes.get("server.address"), .string("a.example"))
        XCTAssertEqual(span.attributes.get("server.port"), .int64(443))
        XCTAssertEqual(span.attributes.get("url.full"), .string("https://a.example/x?sig=REDACTED"))
        XCTAssertEqual(span.attributes.get("http.response.status_code"), .int64(200))
        XCTAssertEqual(span.attributes.count, 5)
        XCTAssertEqual(tracer.activeSpans.count, 0)
    }

    func testTheRequestCarriesTheSpanContext() throws {
        transport.enqueue(ScriptedResponse())
        run(client(RequestTracing(tracer: tracer)), try Request(.get, "http://a/"))
        let span = try XCTUnwrap(tracer.finishedSpans.first)
        let name = try XCTUnwrap(HTTPField.Name(InMemoryTracer.spanIDKey))
        XCTAssertEqual(transport.requests.first?.headers[name], span.spanID)
    }

    func testExcludedServersReceiveNoSpanContext() throws {
        transport.enqueue(ScriptedResponse())
        var tracing = RequestTracing(tracer: tracer)
        tracing.isPropagated = { $0.host != "a" }
        run(client(tracing), try Request(.get, "http://a/"))
        XCTAssertEqual(tracer.performedContextInjections.count, 0)
        XCTAssertEqual(tracer.finishedSpans.count, 1)
    }

    func testEachAttemptAndEachRedirectIsAChildOfTheSendingTask() throws {
        transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"]))
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable))
        transport.enqueue(ScriptedResponse().after(.seconds(1)))
        let client = client(
            RequestTracing(tracer: tracer),
            interceptors: [RetryPolicy(limit: 1, random: { 1 }, secondsSince1970: { 0 })])
        let request = try Request(.get, "http://a/")
        let parent = tracer.startSpan("parent", context: .topLevel)
        let subscription = ServiceContext.withValue(parent.context) { client.send(request).subscribe { _ in } }
        // This runs outside the task, as on a loop.
        scheduler.start()
        subscription.dispose()
        parent.end()
        let spans = tracer.finishedSpans.dropLast()
        XCTAssertEqual(spans.map(\.parentSpanID), Array(repeating: parent.spanID, count: 3))
        XCTAssertEqual(
            spans.map { $0.attributes.get("http.response.status_code") }, [.int64(302), .int64(503), .int64(200)])
        XCTAssertEqual(spans.map { $0.attributes.get("http.request.resend_count") }, [nil, .int64(1), .int64(2)])
        XCTAssertEqual(spans.map(\.status), [nil, SpanStatus(code: .error), nil])
        XCTAssertEqual(spans.map { $0.attributes.get("error.type") }, [nil, .string("503"), nil])
        XCTAssertEqual(Set(transport.requests.map { $0.headers[HTTPField.Name(InMemoryTracer.spanIDKey)!] }).count, 3)
    }

    func testAFailureIsRecordedInTheSpan() throws {
        transport.enqueue(.reset)
        run(client(RequestTracing(tracer: tracer)), try Request(.get, "http://a/"))
        let span = try XCTUnwrap(tracer.finishedSpans.first)
        XCTAssertEqual(span.status?.code, .error)
        XCTAssertEqual(span.attributes.get("error.type"), .string("connection_lost"))
        XCTAssertEqual(span.errors.count, 0)
    }

    func testAnUnknownMethodIsRecordedAsOther() throws {
        transport.enqueue(ScriptedResponse())
        run(
            client(RequestTracing(tracer: tracer)),
            try Request(try XCTUnwrap(HTTPRequest.Method("PROPFIND")), "http://a/"))
        let span = try XCTUnwrap(tracer.finishedSpans.first)
        XCTAssertEqual(span.operationName, "HTTP")
        XCTAssertEqual(span.attributes.get("http.request.method"), .string("_OTHER"))
        XCTAssertEqual(span.attributes.get("http.request.method_original"), .string("PROPFIND"))
    }

    func testDisposingEndsTheSpan() throws {
        transport.enqueue(.silence)
        let subscription = client(RequestTracing(tracer: tracer)).events(try Request(.get, "http://a/")).subscribe()
        XCTAssertEqual(tracer.activeSpans.count, 1)
        subscription.dispose()
        XCTAssertEqual(tracer.activeSpans.count, 0)
        XCTAssertEqual(tracer.finishedSpans.first?.attributes.get("error.type"), .string("cancelled"))
    }

    func testAnUnsentRequestHasNoSpan() throws {
        run(
            client(RequestTracing(tracer: tracer), interceptors: [Refusal()]), try Request(.get, "http://a/"))
        XCTAssertEqual(tracer.finishedSpans.count, 0)
        XCTAssertEqual(tracer.activeSpans.count, 0)
    }
}

private struct Refusal: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        .failed(HTTPClientError(.loginRequired, phase: .refreshing, message: "log in"))
    }
}
