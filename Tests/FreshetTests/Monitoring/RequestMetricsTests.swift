import Freshet
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import RecordingBackends
import XCTest

final class RequestMetricsTests: MonitoringTestCase {
    func testARequestIsTimedUnderTheNamesOfTheConventions() throws {
        transport.enqueue(ScriptedResponse(body: "hello").after(.milliseconds(30)))
        let backend = RecordingMetrics()
        run(client(RequestMetrics(factory: backend)), try Request(.post, "https://a.example/x?k=v", body: .text("abc")))
        let target = "http.request.method=POST,server.address=a.example,server.port=443"
        XCTAssertEqual(
            backend.values["http.client.request.duration{\(target),http.response.status_code=200}"], [30_000_000])
        XCTAssertEqual(backend.values["http.client.active_requests{\(target)}"], [1, -1])
        XCTAssertEqual(backend.values["http.client.response.body.size{\(target),http.response.status_code=200}"], [5])
    }

    func testAStatusFrom400IsAnErrorAndEachAttemptIsCounted() throws {
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable))
        transport.enqueue(ScriptedResponse())
        let backend = RecordingMetrics()
        run(
            client(
                RequestMetrics(factory: backend),
                interceptors: [RetryPolicy(limit: 1, random: { 0 }, secondsSince1970: { 0 })]),
            try Request(.get, "http://a/"))
        let target = "http.request.method=GET,server.address=a,server.port=80,http.response.status_code"
        XCTAssertNotNil(backend.values["http.client.request.duration{\(target)=503,error.type=503}"])
        XCTAssertNotNil(backend.values["http.client.request.duration{\(target)=200}"])
    }

    func testAFailureHasItsCodeAndAnUnknownMethodIsRecordedAsOther() throws {
        transport.enqueue(.reset)
        let backend = RecordingMetrics()
        run(
            client(RequestMetrics(factory: backend)),
            try Request(try XCTUnwrap(HTTPRequest.Method("PROPFIND")), "http://a:81/"))
        let target = "http.request.method=_OTHER,server.address=a,server.port=81"
        XCTAssertNotNil(backend.values["http.client.request.duration{\(target),error.type=connection_lost}"])
        XCTAssertEqual(backend.values["http.client.active_requests{\(target)}"], [1, -1])
    }

    func testDisposingAfterTheHeadRecordsNoError() throws {
        transport.enqueue(ScriptedResponse(body: "hello").pausing(.seconds(1)).pausing(after: 1, until: Barrier()))
        let backend = RecordingMetrics()
        let subscription = client(RequestMetrics(factory: backend)).events(try Request(.get, "http://a/")).subscribe()
        scheduler.advanceTo(10_000)
        subscription.dispose()
        let key = "http.client.request.duration{http.request.method=GET,server.address=a,server.port=80,"
        XCTAssertNotNil(backend.values[key + "http.response.status_code=200}"], "\(backend.values.keys)")
    }

    func testARefusedResponseWithAnInterceptorIsNoLongerActive() throws {
        struct Onlooker: RequestInterceptor {}
        transport.enqueue(ScriptedResponse(status: .notFound, body: "no"))
        let backend = RecordingMetrics()
        let subscription = client(RequestMetrics(factory: backend), interceptors: [Onlooker()])
            .events(try Request(.get, "http://a/")).validate(statusCodes: 200..<300).subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        let target = "http.request.method=GET,server.address=a,server.port=80"
        XCTAssertEqual(backend.values["http.client.active_requests{\(target)}"], [1, -1])
        XCTAssertNotNil(
            backend.values[
                "http.client.request.duration{\(target),http.response.status_code=404,error.type=404}"],
            "\(backend.values.keys)")
    }

    func testDisposingBeforeTheHeadRecordsACancellation() throws {
        transport.enqueue(.silence)
        let backend = RecordingMetrics()
        client(RequestMetrics(factory: backend)).events(try Request(.get, "http://a/")).subscribe().dispose()
        let key = "http.client.request.duration{http.request.method=GET,server.address=a,server.port=80,"
        XCTAssertNotNil(backend.values[key + "error.type=cancelled}"], "\(backend.values.keys)")
    }

    func testInstrumentsAreReused() throws {
        transport.route { _ in ScriptedResponse() }
        let backend = RecordingMetrics()
        let client = client(RequestMetrics(factory: backend))
        for _ in 0..<5 { run(client, try Request(.get, "http://a/")) }
        XCTAssertEqual(backend.made, 3)
    }
}
