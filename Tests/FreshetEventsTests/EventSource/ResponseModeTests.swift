import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests responses that are produced once, in the two forms in which chat APIs stream them.
final class ResponseModeTests: EventSourceTestCase {
    /// Configures unnamed events with a terminator.
    private func useUnnamed() {
        bench.settings = .response(terminator: "[DONE]")
        bench.settings.random = { 0 }
    }

    /// Configures named events, of which the last one ends the response.
    private func useNamed() {
        bench.settings = .response(lastTypes: ["message_stop"])
        bench.settings.random = { 0 }
    }

    private func runRequest() throws -> [String] {
        try bench.run(Request(.post, "http://a/chat", body: .text("question")))
    }

    private static let overloaded = """
        event: error
        data: {"type":"error","error":{"type":"overloaded_error","message":"secret words"}}\n\n
        """

    func testAResponseOfUnnamedEventsCompletesWithItsTerminator() throws {
        useUnnamed()
        bench.transport.enqueue(.endless("data: {\"a\":1}\n\n", "data: {\"a\":2}\n\ndata: [DONE]\n\n"))
        XCTAssertEqual(
            try runRequest(), ["0 connecting", "0 open(200)", "0 {\"a\":1}", "0 {\"a\":2}", "0 closed", "0 completed"])
        XCTAssertEqual(bench.transport.requestCount, 1)
        XCTAssertEqual(bench.transport.requests[0].text, "question")
    }

    func testAResponseThatIsSilentFromTheBeginningIsNotRequestedAgain() throws {
        useUnnamed()
        bench.transport.enqueue(.endless())
        XCTAssertEqual(
            try bench.run(Request(.post, "http://a/chat", body: .text("question")), until: 700_000),
            ["0 connecting", "0 open(200)", "600000 closed", "600000 error timeout"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAResponseThatFallsSilentFailsAfterTenMinutes() throws {
        useUnnamed()
        bench.transport.enqueue(.endless("data: {\"a\":1}\n\n"))
        XCTAssertEqual(
            try bench.run(Request(.post, "http://a/chat", body: .text("question")), until: 700_000).suffix(3),
            ["0 {\"a\":1}", "600000 closed", "600000 error timeout"])
    }

    func testAResponseOfNamedEventsCompletesWithItsLastEventAndOmitsPings() throws {
        useNamed()
        bench.transport.enqueue(
            .endless(
                "event: message_start\ndata: {}\n\n", "event: ping\ndata: {}\n\n",
                "event: content\ndata: x\n\nevent: message_stop\ndata: {}\n\nevent: late\ndata: {}\n\n"))
        XCTAssertEqual(try runRequest().suffix(2), ["0 closed", "0 completed"])
        XCTAssertEqual(bench.events.map(\.type), ["message_start", "content", "message_stop"])
        XCTAssertEqual(bench.transport.abandoned.count, 1)
    }

    func testATruncatedResponseFailsAndIsNotRequestedAgain() throws {
        useUnnamed()
        bench.transport.enqueue(.events("data: a\n\n"))
        XCTAssertEqual(try runRequest().suffix(3), ["0 a", "0 closed", "0 error connection_lost"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testTheErrorOfATruncatedResponseNamesTheMissingEventAndTheRemedy() throws {
        for (settings, awaited) in [
            (EventSource.Settings.response(terminator: "[DONE]"), "without [DONE]"),
            (.response(lastTypes: ["stop", "end"]), "without an event of type end or an event of type stop"),
        ] {
            let failure = Locked<HTTPClientError?>(nil)
            bench.settings = settings
            bench.transport.enqueue(.events("data: a\n\n"))
            let subscription = try bench.source().subscribe(
                onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
            bench.scheduler.start()
            subscription.dispose()
            let text = failure.withLock { $0 }?.description ?? ""
            for word in [awaited, "ask again", "requiresTerminator", "http://a"] {
                XCTAssertTrue(text.contains(word), text)
            }
        }
    }

    func testAnOptionalTerminatorCompletesTheResponseAsItsEndDoes() throws {
        useUnnamed()
        bench.settings.requiresTerminator = false
        bench.transport.enqueue(.events("data: a\n\n"), .endless("data: b\n\ndata: [DONE]\n\n"))
        XCTAssertEqual(try runRequest().suffix(3), ["0 a", "0 closed", "0 completed"])
        XCTAssertEqual(try runRequest().suffix(3), ["60000 b", "60000 closed", "60000 completed"])
    }

    func testAResponseWithoutAConfiguredLastEventCompletesWithItsEnd() throws {
        bench.settings = .response()
        bench.transport.enqueue(.events("data: a\n\n"))
        XCTAssertEqual(try runRequest().suffix(3), ["0 a", "0 closed", "0 completed"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAnErrorEventAfterAnEventFailsTheResponseWithoutARetry() throws {
        useNamed()
        bench.transport.enqueue(.endless("data: a\n\n" + Self.overloaded + "data: b\n\n"))
        XCTAssertEqual(try runRequest().suffix(3), ["0 a", "0 closed", "0 error status"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testATransientErrorIsRetriedBeforeTheFirstEvent() throws {
        useNamed()
        bench.transport.enqueue(
            .events("event: ping\ndata: {}\n\n" + Self.overloaded), .reset, .events(": hello\n"),
            .endless("event: message_stop\ndata: {}\n\n"))
        XCTAssertEqual(
            try runRequest().filter { !$0.contains("comment") }.suffix(9),
            [
                "500 reconnecting in 500: connection_lost", "1000 connecting", "1000 open(200)",
                "1000 reconnecting in 500: connection_lost", "1500 connecting", "1500 open(200)", "1500 {}",
                "1500 closed", "1500 completed",
            ])
        XCTAssertEqual(bench.transport.requests.map(\.text), Array(repeating: "question", count: 4))
    }

    func testATransientErrorIsRetriedThreeTimes() throws {
        useUnnamed()
        bench.transport.route { _ in .events("data: {\"error\":{\"type\":\"server_error\",\"message\":\"m\"}}\n\n") }
        XCTAssertEqual(try runRequest().last, "1500 error status")
        XCTAssertEqual(bench.transport.requestCount, 4)
    }

    func testAPermanentErrorIsNotRetried() throws {
        useUnnamed()
        bench.transport.enqueue(.endless("data: {\"error\":{\"type\":\"invalid_request_error\"}}\n\n"))
        XCTAssertEqual(try runRequest().suffix(2), ["0 closed", "0 error status"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testARefusalHasTheBodyOfTheResponse() throws {
        useUnnamed()
        bench.transport.enqueue(
            ScriptedResponse.json(#"{"error":{"message":"no such model"}}"#, status: .badRequest),
            ScriptedResponse(status: .badRequest, body: String(repeating: "x", count: 100_000)),
            ScriptedResponse(status: .badRequest, body: "partly").pausing(after: 4, until: Barrier()))
        let bodies = Locked<[String]>([])
        for _ in 0..<3 {
            let subscription = try bench.source(Request(.post, "http://a/chat")).subscribe(onError: { error in
                let response = (error as? HTTPClientError)?.response
                bodies.withLock { $0.append(response.map { String(decoding: $0.body, as: UTF8.self) } ?? "none") }
            })
            bench.scheduler.start()
            subscription.dispose()
        }
        XCTAssertEqual(
            bodies.withLock { $0 },
            [#"{"error":{"message":"no such model"}}"#, String(repeating: "x", count: 65536), "part"])
    }

    func testARefusalIsDecodedAsTheErrorOfTheAPI() throws {
        bench.configuration.failure = Problem.self
        bench.transport.enqueue(.json(#"{"code":"gone"}"#, status: .notFound))
        let failure = Locked<HTTPClientError?>(nil)
        _ = try bench.source().subscribe(onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        XCTAssertEqual(failure.withLock { $0?.underlying as? Problem }, Problem(code: "gone"))
    }

    func testAJSONResponseInsteadOfAStreamIsPartOfTheError() throws {
        useUnnamed()
        for type in ["application/json", "application/problem+json; charset=utf-8"] {
            bench.transport.enqueue(.events(#"{"error":{"message":"no such model"}}"#, type: type))
            let failure = Locked<HTTPClientError?>(nil)
            let subscription = try bench.source().subscribe(
                onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
            bench.scheduler.start()
            subscription.dispose()
            XCTAssertEqual(failure.withLock { $0?.code }, .status)
            XCTAssertEqual(
                failure.withLock { $0?.response.map { String(decoding: $0.body, as: UTF8.self) } },
                #"{"error":{"message":"no such model"}}"#)
        }
    }

    func testTheDataOfEachEventIsDecoded() throws {
        struct Piece: Decodable, Sendable, Equatable { var text: String }
        useUnnamed()
        bench.transport.enqueue(
            .endless("data: {\"text\":\"Hel\"}\n\ndata: {\"text\":\"lo\"}\n\ndata: {\"tex\":1}\n\n"))
        let texts = Locked<[String]>([])
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = try bench.source().decode(Piece.self).subscribe(
            onNext: { piece in texts.withLock { $0.append(piece.text) } },
            onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        XCTAssertEqual(texts.withLock { $0 }, ["Hel", "lo"])
        XCTAssertEqual(failure.withLock { $0?.code }, .decoding)
        XCTAssertEqual(failure.withLock { $0?.origin }, "http://a")
        XCTAssertEqual(bench.transport.abandoned.count, 1)
        subscription.dispose()
    }
}

/// The typed error of an API.
private struct Problem: Decodable, Error, Equatable {
    var code: String
}
