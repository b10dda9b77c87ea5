import FoundationEssentials
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class EventSourceTests: EventSourceTestCase {
    func testAnEndedStreamReconnectsWithTheLastEventID() throws {
        bench.transport.enqueue(
            .events("id: 7\ndata: a\n\n", "data: b\n\n").pausing(.seconds(1)), .endless("data: c\n\n"))
        XCTAssertEqual(
            try bench.run(until: 9000),
            [
                "0 connecting", "0 open(200)", "0 7:a", "1000 7:b", "1000 reconnecting in 3000: ended",
                "4000 connecting", "4000 open(200)", "4000 7:c",
            ])
        XCTAssertEqual(bench.lastEventIDs, [nil, "7"])
        XCTAssertEqual(bench.transport.abandoned.count, 1, "the second was left running")
    }

    func testTheRequestHasTheHeadersOfTheStandard() throws {
        bench.transport.enqueue(.endless())
        var request = try Request(.post, "http://a/x", headers: [.authorization: "Bearer t"], body: .text("q"))
        request.headers[.init("X-Own")!] = "1"
        _ = try bench.run(request, after: "ünï\u{1F600}")
        let sent = try XCTUnwrap(bench.transport.requests.first)
        XCTAssertEqual(sent.method, .post)
        XCTAssertEqual(sent.text, "q")
        XCTAssertEqual(sent.headers[.accept], "text/event-stream")
        XCTAssertEqual(sent.headers[.cacheControl], "no-cache")
        XCTAssertEqual(sent.headers[.init("X-Own")!], "1")
        XCTAssertEqual(sent.bearerToken, "t")
        let id = sent.headers[fields: .lastEventID].map { $0.withUnsafeBytesOfValue { Array($0) } }
        XCTAssertEqual(id, [Array("ünï\u{1F600}".utf8)])
    }

    /// A field can contain them, and a stream that sent no ID would begin again.
    func testAnIDWithControlCharactersIsSentUnchanged() throws {
        bench.transport.enqueue(.events("id: a\u{1}\u{7F}\u{1B}b\ndata: a\n\n"), .endless())
        _ = try bench.run()
        let id = bench.transport.requests[1].headers[fields: .lastEventID].map {
            $0.withUnsafeBytesOfValue { Array($0) }
        }
        XCTAssertEqual(id, [Array("a\u{1}\u{7F}\u{1B}b".utf8)])
    }

    func testAnIDThatNoStreamCanContainIsRefused() throws {
        for id in ["a\nX-Injected: 1", "a\r", "\0"] {
            bench = EventSourceBench()
            XCTAssertEqual(try bench.run(after: id), ["0 closed", "0 error invalid_request"])
            XCTAssertEqual(bench.transport.requestCount, 0)
        }
    }

    func testTheReconnectionTimeOfTheServerIsKeptAcrossConnections() throws {
        bench.transport.enqueue(
            .events("retry: 500\n\n"), .events("data: a\n\n"), .events("retry: 170\ndata: b"), .endless())
        XCTAssertEqual(
            try bench.run().filter { $0.contains("connecting in") },
            ["0 reconnecting in 500: ended", "500 reconnecting in 500: ended", "1000 reconnecting in 170: ended"])
        XCTAssertEqual(bench.events.map(\.data), ["a"], "an unfinished event is dropped with its connection")
    }

    func testAnEmptyIDRemovesTheLastEventID() throws {
        bench.transport.enqueue(
            .events("id: 1\ndata: a\n\n"), .events("id\ndata: b\n\n"), .events("id: 2\n\n"), .events("id: 3\n"),
            .endless())
        _ = try bench.run()
        XCTAssertEqual(bench.lastEventIDs, [nil, "1", nil, "2", "2"])
    }

    func testTheLastEventIDOfTheRequestIsSentFirst() throws {
        bench.transport.enqueue(.events("id\n\n"), .endless())
        _ = try bench.run(Request(.get, "http://a/", headers: [.lastEventID: "5"]))
        XCTAssertEqual(bench.lastEventIDs, ["5", nil])
    }

    func testNoContentCompletesTheStream() throws {
        bench.transport.enqueue(.events("data: a\n\n"), ScriptedResponse(status: .noContent))
        XCTAssertEqual(try bench.run().suffix(3), ["3000 connecting", "3000 closed", "3000 completed"])
    }

    func testAnotherStatusOrTypeFailsTheStreamWithoutARetry() throws {
        for response in [
            .events("data: a\n\n", type: "text/event-streamx"), .events("data: a\n\n", type: "text/plain"),
            ScriptedResponse(body: "data: a\n\n"), ScriptedResponse(status: .serviceUnavailable),
            ScriptedResponse(status: .unauthorized), ScriptedResponse(status: .created),
            ScriptedResponse(status: .resetContent), ScriptedResponse(status: .notModified),
        ] {
            bench = EventSourceBench()
            bench.transport.enqueue(response)
            XCTAssertEqual(try bench.run(), ["0 connecting", "0 closed", "0 error status"])
            XCTAssertEqual(bench.transport.requestCount, 1)
        }
    }

    func testTheErrorOfARefusedResponseNamesItsTypeOnlyIfThatIsTheReason() throws {
        for (response, reason) in [
            (
                .events("", type: "text/plain"),
                "the server responded with the type text/plain, and not with an event stream"
            ),
            (ScriptedResponse(), "the server responded with no type, and not with an event stream"),
            (.json("{}", status: .serviceUnavailable), "the server responded with 503, and not with an event stream"),
        ] {
            bench = EventSourceBench()
            bench.transport.enqueue(response)
            let message = Locked<String?>(nil)
            let subscription = try bench.source().subscribe(
                onError: { error in message.withLock { $0 = (error as? HTTPClientError)?.message } })
            bench.scheduler.start()
            subscription.dispose()
            XCTAssertEqual(message.withLock { $0 }, reason)
        }
    }

    private struct Problem: Decodable { var errorCode: Int }

    func testTheResponseOfARefusedStreamIsDecodedByTheDecoderOfTheClient() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        bench.configuration.decoder = decoder
        bench.transport.enqueue(.json(#"{"error_code":7}"#, status: .unprocessableContent))
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = try bench.source().subscribe(
            onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(try failure.withLock { $0 }?.response?.decoded(Problem.self).errorCode, 7)
        XCTAssertEqual(failure.withLock { $0 }?.path, "/events")
    }

    func testTheContentTypeCanHaveParametersAndAnyCase() throws {
        for type in ["text/event-stream; charset=utf-8", "Text/Event-Stream;x", " text/event-stream\t;"] {
            bench = EventSourceBench()
            bench.transport.enqueue(.events("data: a\n\n", type: type))
            _ = try bench.run(until: 1)
            XCTAssertEqual(bench.events, [.init(data: "a")], type)
        }
    }

    func testRedirectsAreFollowedForEachConnection() throws {
        bench.transport.route(.get, "/events") { _ in
            ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/real"])
        }
        bench.transport.route(.get, "/real") { _ in .events("id: 1\ndata: a\n\n") }
        _ = try bench.run(until: 3000)
        XCTAssertEqual(bench.transport.requests.map(\.path), ["/events", "/real", "/events", "/real"])
        XCTAssertEqual(bench.lastEventIDs, [nil, nil, "1", "1"])
    }

    func testALostConnectionIsRestored() throws {
        bench.transport.enqueue(.reset, .events("data: a\n\n").chunked().reset(after: 9), .endless())
        XCTAssertEqual(
            try bench.run().filter { $0.contains("reconnecting") },
            ["0 reconnecting in 3000: connection_lost", "3000 reconnecting in 3000: connection_lost"])
    }

    func testManyReadersShareAConnection() throws {
        bench.transport.enqueue(.endless("data: a\n\n").after(.seconds(1)))
        let shared = try bench.source().share()
        let seen = Locked<[String]>([])
        let readers = (0..<3).map { _ in shared.subscribe(onNext: { event in seen.withLock { $0.append(event.data) } })
        }
        bench.scheduler.advanceTo(2000)
        XCTAssertEqual(seen.withLock { $0 }, ["a", "a", "a"])
        XCTAssertEqual(bench.transport.requestCount, 1)
        for reader in readers { reader.dispose() }
        XCTAssertEqual(bench.transport.abandoned.count, 1)
        bench.scheduler.start()
    }

    func testAReaderThatDisposesReceivesNoMoreEventsOfTheSamePiece() throws {
        bench.transport.enqueue(.endless("data: a\n\ndata: b\n\ndata: c\n\n"))
        let seen = Locked<[String]>([])
        _ = try bench.source().take(2).subscribe(onNext: { event in seen.withLock { $0.append(event.data) } })
        bench.scheduler.start()
        XCTAssertEqual(seen.withLock { $0 }, ["a", "b"])
        XCTAssertEqual(bench.transport.abandoned.count, 1)
    }

    func testAnEventOverTheLimitFailsTheStreamWithoutARetry() throws {
        bench.settings.maximumEventSize = 100
        let response = ScriptedResponse.events("data: a\n\n", "data: " + String(repeating: "x", count: 200) + "\n\n")
        bench.transport.enqueue(response)
        XCTAssertEqual(try bench.run().suffix(3), ["0 a", "0 closed", "0 error too_large"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAnErrorOfTheStreamNamesItsRequestWithoutItsQuery() throws {
        bench.settings.maximumEventSize = 10
        bench.settings.idleTimeout = .seconds(1)
        bench.settings.reconnection = .never
        bench.transport.enqueue(
            .endless("data: 012345\n\n"), .endless(), .events("data: 0\n\n", type: "text/plain"), .reset)
        let errors = Locked<[HTTPClientError]>([])
        for _ in 0..<4 {
            let request = try Request(.get, "http://a/events?key=secret")
            let subscription = try bench.source(request).subscribe(
                onError: { error in errors.withLock { $0.append(error as! HTTPClientError) } })
            bench.scheduler.start()
            subscription.dispose()
        }
        XCTAssertEqual(errors.withLock { $0 }.map(\.code), [.tooLarge, .timeout, .status, .connectionLost])
        XCTAssertEqual(Set(errors.withLock { $0 }.map(\.origin)), ["http://a"])
        for error in errors.withLock({ $0 }) {
            XCTAssertTrue("\(error)".contains("GET http://a/events"), "\(error)")
            XCTAssertFalse("\(error)".contains("secret"), "\(error)")
        }
    }

    /// A stream can be compressed well for hours, and the limit of an event bounds its memory.
    func testTheDecodingRatioDoesNotApplyToAStream() throws {
        for isSetByTheRequest in [false, true] {
            let options = Locked<TransferOptions?>(nil)
            let transport = ObservableTransport { request in
                options.withLock { $0 = request.transfer }
                return .just(.head(HTTPResponse(status: .noContent)))
            }
            var request = try Request(.get, "http://a/events")
            if isSetByTheRequest {
                request.transfer = TransferOptions()
                request.transfer?.totalTimeout = .seconds(3600)
            }
            let client = HTTPClient(transport: transport, scheduler: bench.scheduler)
            let subscription = EventSource(request, by: client).subscribe { _ in }
            bench.scheduler.start()
            subscription.dispose()
            let used = try XCTUnwrap(options.withLock { $0 })
            XCTAssertNil(used.maximumDecodingRatio)
            XCTAssertEqual(used.totalTimeout, isSetByTheRequest ? .seconds(3600) : nil)
        }
    }

    func testCommentsAreEmittedAsSignals() throws {
        bench.transport.enqueue(.endless(": hel", "lo\ndata: a\n\n:\n"))
        let seen = Locked<[String]>([])
        let subscription = try bench.source().signals.subscribe(onNext: { signal in
            if case .comment(let text) = signal { seen.withLock { $0.append(text) } }
        })
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(seen.withLock { $0 }, ["hello", ""])
    }

    func testAStreamWithoutIDsIsNotReopenedForAnExpiredCredential() throws {
        for (events, count) in [("data: a\n\n", 1), ("id: 1\ndata: a\n\n", 2), (":\n\n", 2)] {
            bench = EventSourceBench()
            let reporter = CredentialChangeReporter()
            bench.interceptors = [reporter]
            bench.transport.enqueue(.endless(events), .endless())
            let subscription = bench.follow(try bench.source())
            reporter.report(.expired)
            bench.scheduler.advanceTo(5000)
            XCTAssertEqual(bench.transport.requestCount, count, events)
            subscription.dispose()
            reporter.forget()
            bench.scheduler.start()
        }
    }
}

/// Reports a change of the credential to the newest attempt when the test asks for it.
private final class CredentialChangeReporter: RequestInterceptor {
    private let newest = Locked<RequestInFlight?>(nil)

    func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        newest.withLock { $0 = attempt }
        return nil
    }

    func report(_ change: CredentialChange) { newest.withLock { $0 }?.report(change) }
    func forget() { newest.withLock { $0 = nil } }
}
