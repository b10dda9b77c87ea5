import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class StubTransportTests: XCTestCase {
    private var resources = 0

    override func setUp() {
        resources = Resources.total
    }

    override func tearDown() {
        XCTAssertEqual(Resources.total, resources)
    }

    func testAnEnqueuedResponseTakesPrecedenceOverARoute() throws {
        let transport = StubTransport()
        transport.route(.get, "/a") { _ in ScriptedResponse(body: "routed") }
        transport.enqueue(ScriptedResponse(status: .created, body: "queued"))
        XCTAssertEqual(try parts(transport, "/a"), ["201 content-length=6", "queued", "completed"])
        XCTAssertEqual(try parts(transport, "/a?x=1"), ["200 content-length=6", "routed", "completed"])
        XCTAssertEqual(transport.requests.map(\.target), ["/a", "/a?x=1"])
        XCTAssertEqual(transport.requests.map(\.origin), ["http://example.com", "http://example.com"])
    }

    func testAJSONResponseHasItsFieldsAndTheTypeUnlessTheyNameOne() throws {
        let transport = StubTransport()
        transport.enqueue(
            .json("[]", headers: [.eTag: "e"]),
            .json("{}", status: .conflict, headers: [.contentType: "application/problem+json"]))
        XCTAssertEqual(
            try parts(transport, "/a"),
            ["200 etag=e content-type=application/json content-length=2", "[]", "completed"])
        XCTAssertEqual(
            try parts(transport, "/a"),
            ["409 content-type=application/problem+json content-length=2", "{}", "completed"])
    }

    func testAnUnscriptedRequestFailsWithAnErrorThatNamesItAndTheRoutes() throws {
        let transport = StubTransport()
        XCTAssertEqual(
            try failure(transport, "/a?secret"),
            "invalid_request: nothing is scripted for GET /a, and there are no routes; add a route or enqueue a response "
                + "(preparing, http://example.com)")
        transport.route(.post, "/b/*") { _ in ScriptedResponse() }
        transport.route(named: "whatever has a body", where: { !$0.body.isEmpty }) { _ in ScriptedResponse() }
        XCTAssertEqual(
            try failure(transport, "/a"),
            "invalid_request: nothing is scripted for GET /a, and the routes are POST /b/*, whatever has a body; add a "
                + "route or enqueue a response (preparing, http://example.com)")
        XCTAssertEqual(transport.unmatched.map(\.target), ["/a?secret", "/a"])
    }

    func testTheBodyArrivesInItsPiecesAndTrailersFollow() throws {
        let transport = StubTransport()
        transport.enqueue(
            ScriptedResponse().preceded(by: .init(code: 103)).chunked(["ab", "c"]).withTrailers([.eTag: "x"]))
        XCTAssertEqual(try parts(transport, "/"), ["103", "200", "ab", "c", "trailers etag=x", "completed"])
    }

    func testAHeadRequestAndA304HaveNoBody() throws {
        let transport = StubTransport()
        transport.enqueue(ScriptedResponse(body: "abc"), ScriptedResponse(status: .notModified, body: "abc"))
        XCTAssertEqual(try parts(transport, "/", method: .head), ["200 content-length=3", "completed"])
        XCTAssertEqual(try parts(transport, "/"), ["304", "completed"])
    }

    func testATruncatedBodyLosesTheConnectionAndKeepsItsAnnouncedLength() throws {
        let transport = StubTransport()
        transport.enqueue(ScriptedResponse(pieces: [[97, 98], [99, 100]]).truncated(after: 3), .close)
        XCTAssertEqual(
            try parts(transport, "/"), ["200 content-length=4", "ab", "c", "connection_lost receiving the response"])
        XCTAssertEqual(try parts(transport, "/"), ["connection_lost waiting for the response"])
    }

    func testAScriptedFailureIsDelivered() throws {
        let transport = StubTransport()
        let error = HTTPClientError(.tls, phase: .securing, message: "no")
        transport.enqueue(.failure(error), ScriptedResponse(body: "abc").failing(with: error, after: 1), .raw("?"))
        XCTAssertEqual(try parts(transport, "/"), ["tls TLS handshake"])
        XCTAssertEqual(try parts(transport, "/"), ["200 content-length=3", "a", "tls TLS handshake"])
        XCTAssertEqual(try parts(transport, "/"), ["protocol waiting for the response"])
    }

    /// A retrier may send a POST again that was never sent.
    func testARequestThatWaitsForItsResponseHasBeenSent() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let transport = StubTransport(scheduler: scheduler)
        let refused = HTTPClientError(.connect, phase: .connecting, message: "no", isUnsent: true)
        transport.enqueue(.silence, .failure(refused).after(.seconds(9)))
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let errors = Locked<[String]>([])
        for _ in 0..<2 {
            var request = try request("/")
            request.timeout = .seconds(1)
            _ = client.send(request).subscribe(onFailure: { error in
                let error = error as? HTTPClientError
                errors.withLock { $0.append("\(error?.isUnsent == true) \(error?.phase.rawValue ?? "")") }
            })
            scheduler.start()
        }
        XCTAssertEqual(errors.withLock { $0.first }, "false waiting for the response")
        XCTAssertEqual(errors.withLock { $0.last?.prefix(4) }, "true")
    }

    func testAStreamThatAResponseWithoutABodyEndsWasNotAbandoned() throws {
        let transport = StubTransport()
        transport.enqueue(ScriptedResponse(status: .noContent))
        let subscription = SerialDisposable()
        subscription.disposable = try transport.parts(request("/")).subscribe(onNext: { part in
            if case .head = part { subscription.dispose() }
        })
        subscription.dispose()
        XCTAssertEqual(transport.abandoned.count, 0)
    }

    func testAHeldResponseContinuesWhenItIsReleased() throws {
        let transport = StubTransport()
        let barrier = Barrier()
        transport.enqueue(ScriptedResponse(body: "abcd").pausing(after: 1, until: barrier))
        let log = Log()
        let subscription = try transport.parts(request("/")).subscribe { log.append($0) }
        XCTAssertEqual(log.lines, ["200 content-length=4", "a"])
        XCTAssertEqual(barrier.waiting, 1)
        barrier.release()
        XCTAssertEqual(log.lines, ["200 content-length=4", "a", "bcd", "completed"])
        subscription.dispose()
        XCTAssertEqual(transport.abandoned.count, 0)
    }

    func testACancelledRequestIsRecordedAndItsResponseStops() throws {
        let transport = StubTransport()
        let barrier = Barrier()
        transport.route { _ in ScriptedResponse(body: "late").delayed(until: barrier) }
        let log = Log()
        try transport.parts(request("/1")).subscribe { log.append($0) }.dispose()
        let kept = try transport.parts(request("/2")).subscribe { log.append($0) }
        XCTAssertEqual(transport.abandoned.map(\.target), ["/1"])
        XCTAssertEqual(barrier.waiting, 1)
        barrier.release()
        XCTAssertEqual(log.lines, ["200 content-length=4", "late", "completed"])
        kept.dispose()
    }

    func testAPausedSubscriptionHoldsTheResponse() throws {
        let transport = StubTransport()
        let barrier = Barrier()
        transport.enqueue(ScriptedResponse(pieces: [[97], [98]]).delayed(until: barrier))
        let log = Log()
        let subscription = try transport.parts(request("/")).subscribe { log.append($0) }
        (subscription as? any Pausable)?.pause()
        barrier.release()
        XCTAssertEqual(log.lines, [])
        XCTAssertEqual(transport.paused.map(\.target), ["/"])
        (subscription as? any Pausable)?.resume()
        XCTAssertEqual(log.lines, ["200 content-length=2", "a", "b", "completed"])
    }

    func testAResponseCanBeDeferredAndABodyCanBeAStream() throws {
        let transport = StubTransport()
        let complete = Locked<(@Sendable (ScriptedResponse) -> Void)?>(nil)
        transport.route { _ in .deferred { completion in complete.withLock { $0 = completion } } }
        let log = Log()
        let subscription = try transport.parts(request("/")).subscribe { log.append($0) }
        XCTAssertEqual(log.lines, [])
        let pieces = Observable<[UInt8]>.create { observer in
            for byte in UInt8(97)...99 { observer.onNext([byte]) }
            observer.onCompleted()
            return Disposables.create()
        }
        complete.withLock { $0 }?(.streaming(pieces))
        XCTAssertEqual(log.lines, ["200", "a", "b", "c", "completed"])
        subscription.dispose()
        complete.withLock { $0 = nil }
    }

    func testEverySubscriptionSendsAnotherRequest() throws {
        let transport = StubTransport()
        transport.route { request in ScriptedResponse(body: "\(request.number)") }
        let response = transport.parts(try request("/"))
        let log = Log()
        response.subscribe { log.append($0) }.dispose()
        response.subscribe { log.append($0) }.dispose()
        XCTAssertEqual(log.lines.filter { $0.count == 1 }, ["1", "2"])
    }

    func testDelaysElapseOnTheGivenScheduler() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(ScriptedResponse(pieces: [[97], [98]]).pausing(.seconds(3)).after(.seconds(10)))
        let log = Log()
        let subscription = try transport.parts(request("/")).subscribe { log.append($0) }
        scheduler.advanceTo(9)
        XCTAssertEqual(log.lines, [])
        scheduler.advanceTo(10)
        XCTAssertEqual(log.lines, ["200 content-length=2", "a"])
        scheduler.advanceTo(12)
        XCTAssertEqual(log.lines.count, 2)
        scheduler.advanceTo(13)
        XCTAssertEqual(log.lines.dropFirst(2), ["b", "completed"])
        subscription.dispose()
    }

    func testACancelledDelayIsRemoved() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(ScriptedResponse().after(.seconds(10)))
        let log = Log()
        let subscription = try transport.parts(request("/")).subscribe { log.append($0) }
        scheduler.advanceTo(5)
        subscription.dispose()
        scheduler.advanceTo(20)
        XCTAssertEqual(log.lines, [])
        XCTAssertEqual(transport.abandoned.count, 1)
    }

    func testADescriptionContainsNoSecret() throws {
        let transport = StubTransport()
        var request = try request("/path?token=s3cret", method: .post)
        request.headers = [.authorization: "Bearer s3cret", .cookie: "id=s3cret", .accept: "text/plain"]
        request.headers[HTTPField.Name("X-Refresh-Token")!] = "s3cret"
        request.body = .text("s3cret")
        _ = transport.parts(request).subscribe { _ in }
        let recorded = transport.requests[0]
        var dumped = ""
        dump(recorded, to: &dumped)
        for text in ["\(recorded)", String(reflecting: recorded), dumped] {
            XCTAssertFalse(text.contains("s3cret"), text)
        }
        XCTAssertEqual(
            "\(recorded)",
            "#1 POST /path?… [Authorization: …, Cookie: …, Accept: text/plain, X-Refresh-Token: …] 6 bytes")
        XCTAssertEqual(recorded.bearerToken, "s3cret")
    }

    private func request(_ path: String, method: HTTPRequest.Method = .get) throws -> Request {
        try Request(method, "http://example.com\(path)")
    }

    private func failure(_ transport: StubTransport, _ path: String) throws -> String {
        let text = Locked("")
        transport.parts(try request(path)).subscribe { event in
            if let error = event.error { text.withLock { $0 = "\(error)" } }
        }.dispose()
        return text.withLock { $0 }
    }

    private func parts(
        _ transport: StubTransport, _ path: String, method: HTTPRequest.Method = .get
    ) throws -> [String] {
        let log = Log()
        transport.parts(try request(path, method: method)).subscribe { log.append($0) }.dispose()
        return log.lines
    }
}

/// The events of a transport, one per line.
private final class Log: Sendable {
    private let state = Locked<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func append(_ event: Event<ResponsePart>) {
        if case .next(.phase) = event { return }
        let line =
            switch event {
            case .next(.head(let head)), .next(.informational(let head)):
                ["\(head.status.code)", fields(head.headerFields)].filter { !$0.isEmpty }.joined(separator: " ")
            case .next(.body(let bytes)): String(decoding: bytes, as: UTF8.self)
            case .next(.trailers(let trailers)): "trailers \(fields(trailers))"
            case .next(.phase): ""
            case .next(.sent(let bytes, _)): "sent \(bytes)"
            case .error(let error as HTTPClientError): "\(error.code.rawValue) \(error.phase.rawValue)"
            case .error(let error): "\(error)"
            case .completed: "completed"
            }
        state.withLock { $0.append(line) }
    }

    private func fields(_ fields: HTTPFields) -> String {
        fields.map { "\($0.name.canonicalName)=\($0.value)" }.joined(separator: " ")
    }
}
