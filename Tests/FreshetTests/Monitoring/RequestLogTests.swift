import Freshet
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import InMemoryLogging
import Logging
import Tracing
import XCTest

final class RequestLogTests: MonitoringTestCase {
    private func logger(_ handler: InMemoryLogHandler, at level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = level
        return logger
    }

    func testARequestIsLoggedInOneLineAtItsEnd() throws {
        transport.enqueue(ScriptedResponse(body: "hello").after(.milliseconds(30)))
        let handler = InMemoryLogHandler()
        run(client(RequestLog(logger(handler, at: .info))), try Request(.get, "http://a/x?q=v"))
        let entry = try XCTUnwrap(handler.entries.first)
        XCTAssertEqual(handler.entries.count, 1)
        XCTAssertEqual(entry.level, .info)
        XCTAssertEqual("\(entry.message)", "GET http://a/x?q=REDACTED: 200 in 30.0 ms")
        XCTAssertEqual(entry.metadata["http.response.status_code"], "200")
        XCTAssertEqual(entry.metadata["duration_ms"], "30.0")
        XCTAssertEqual(entry.metadata["waiting_ms"], "30.0")
        XCTAssertNil(entry.metadata["attempt"])
    }

    func testAFailureIsLoggedAsAWarningWithItsCode() throws {
        transport.enqueue(.reset)
        let handler = InMemoryLogHandler()
        run(client(RequestLog(logger(handler, at: .info))), try Request(.get, "http://a/"))
        XCTAssertEqual(handler.entries.map(\.level), [.warning])
        XCTAssertEqual(handler.entries.first?.metadata["error.type"], "connection_lost")
    }

    func testARefusedHeadIsLoggedAsAWarningWithItsStatus() throws {
        struct Onlooker: RequestInterceptor {}
        transport.enqueue(ScriptedResponse(status: .notFound, body: "no"))
        let handler = InMemoryLogHandler()
        let subscription = client(RequestLog(logger(handler, at: .info)), interceptors: [Onlooker()])
            .events(try Request(.get, "http://a/")).validate(statusCodes: 200..<300).subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(handler.entries.map(\.level), [.warning])
        XCTAssertEqual(handler.entries.first?.metadata["error.type"], "status")
        XCTAssertEqual(handler.entries.first?.metadata["http.response.status_code"], "404")
    }

    func testARequestThatIsLeftAfterItsResponseHasBegunIsLoggedLikeOneThatEnds() throws {
        transport.enqueue(.repeating(Array("data: a\n\n".utf8), times: .max))
        let handler = InMemoryLogHandler()
        let subscription = client(RequestLog(logger(handler, at: .info)))
            .bodyParts(try Request(.get, "http://a/")).take(1).subscribe { _ in }
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(handler.entries.map(\.level), [.info])
        XCTAssertEqual(handler.entries.first.map { "\($0.message)" }, "GET http://a/: left after 0.0 ms")
        XCTAssertEqual(handler.entries.first?.metadata["http.response.status_code"], "200")
    }

    func testARequestThatIsLeftBeforeItsResponseBeginsIsADetail() throws {
        transport.enqueue(.silence)
        let handler = InMemoryLogHandler()
        let subscription = client(RequestLog(logger(handler, at: .debug)))
            .send(try Request(.get, "http://a/")).subscribe { _ in }
        scheduler.advanceTo(10)
        subscription.dispose()
        XCTAssertEqual(handler.entries.last.map { "\($0.message)" }, "GET http://a/: left after 10.0 ms")
        XCTAssertEqual(handler.entries.last?.level, .debug)
    }

    func testLogLevelsAreConfigurable() throws {
        transport.enqueue(ScriptedResponse())
        let handler = InMemoryLogHandler()
        var log = RequestLog(logger(handler, at: .notice))
        log.level = .notice
        run(client(log), try Request(.get, "http://a/"))
        XCTAssertEqual(handler.entries.map(\.level), [.notice])
    }

    func testRedirectsAndFieldsAreLoggedAtDebug() throws {
        transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b?token=secret"]))
        transport.enqueue(ScriptedResponse(headers: [.contentType: "text/plain", .setCookie: "secret"]))
        let handler = InMemoryLogHandler()
        run(
            client(RequestLog(logger(handler, at: .debug))),
            try Request(.get, "http://a/", headers: [.authorization: "secret", .accept: "*/*"]))
        XCTAssertEqual(handler.entries.count, 13)
        let all = handler.entries.map { "\($0)" }.joined()
        XCTAssertTrue(all.contains("Accept: */*"))
        XCTAssertTrue(all.contains("Authorization: REDACTED"))
        XCTAssertTrue(all.contains("Content-Type: text/plain"))
        XCTAssertTrue(all.contains("token=REDACTED"))
        XCTAssertFalse(all.contains("secret"))
    }

    func testLogLinesBelongToTheTraceOfTheSendingTask() async throws {
        transport.enqueue(ScriptedResponse().after(.milliseconds(30)))
        let handler = InMemoryLogHandler()
        let provider = Logger.MetadataProvider {
            ServiceContext.current?[TraceKey.self].map { ["trace": "\($0)"] } ?? [:]
        }
        var logger = Logger(label: "test") { _ in
            var handler = handler
            handler.metadataProvider = provider
            return handler
        }
        logger.logLevel = .info
        let request = try Request(.get, "http://a/")
        var context = ServiceContext.topLevel
        context[TraceKey.self] = "of the task"
        let client = client(RequestLog(logger))
        let subscription = ServiceContext.withValue(context) { client.send(request).subscribe { _ in } }
        // This runs outside the task, as on a loop.
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(handler.entries.first?.metadata["trace"], "of the task")
    }
}

private enum TraceKey: ServiceContextKey {
    typealias Value = String
}
