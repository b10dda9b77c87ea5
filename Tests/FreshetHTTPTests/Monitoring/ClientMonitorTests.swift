import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class ClientMonitorTests: StubbedTestCase {
    private func client(
        _ monitors: [any ClientMonitor], _ interceptors: [any RequestInterceptor] = []
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.monitors = monitors
        return HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: interceptors, configuration: configuration)
    }

    private func run(_ client: HTTPClient, _ request: Request) {
        let subscription = client.send(request).subscribe { _ in }
        scheduler.start()
        subscription.dispose()
    }

    private func words(_ events: [ClientEvent]) -> [String] {
        events.map { event in
            switch event.kind {
            case .phase(.admitted): "admitted \(event.attempt)"
            case .exchanged(let exchange): "exchanged \(exchange.resends) \(exchange.head?.status.code ?? 0)"
            case .retry(let delay, _): "retry \(delay)"
            default: String("\(event.kind)".prefix { $0 != "(" })
            }
        }
    }

    func testAMonitorReceivesARequestFromItsStartToItsTimings() throws {
        transport.enqueue(ScriptedResponse(body: "hello").after(.milliseconds(30)))
        let recorder = Recorder()
        run(client([recorder]), try Request(.post, "http://a/x?secret=1", body: .text("abc")))
        XCTAssertEqual(
            words(recorder.events),
            ["started", "queued", "admitted 1", "phase", "head", "exchanged 0 200", "finished"])
        guard case .exchanged(let exchange)? = recorder.events.first(where: \.isExchanged)?.kind,
            case .finished(let timings)? = recorder.events.last?.kind
        else { return XCTFail("no end") }
        XCTAssertEqual(exchange.receivedBytes, 5)
        XCTAssertEqual(exchange.duration, .milliseconds(30))
        XCTAssertTrue(exchange.wasAdmitted)
        XCTAssertNil(exchange.failure)
        XCTAssertEqual(timings.total, .milliseconds(30))
        XCTAssertEqual(timings.waiting, .milliseconds(30))
        XCTAssertEqual(Set(recorder.events.map(\.id)).count, 1)
        XCTAssertFalse("\(recorder.events)".contains("secret"))
    }

    func testAConnectionWithoutTLSHasAVersion() throws {
        var configuration = HTTPClient.Configuration()
        let recorder = Recorder()
        configuration.monitors = [recorder]
        let transport = ObservableTransport { _ in
            .of(.phase(.connected(address: "10.0.0.1:80", reused: true)), .head(HTTPResponse(status: .ok)))
        }
        let client = HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration)
        run(client, try Request(.get, "http://a/"))
        run(client, try Request(.get, "https://a/"))
        let versions = recorder.events.compactMap { event -> String? in
            if case .exchanged(let exchange) = event.kind { exchange.version ?? "unknown" } else { nil }
        }
        XCTAssertEqual(versions, ["1.1", "unknown"])
    }

    func testTheEventOfAHeadHasItsStatus() throws {
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse())
        let recorder = Recorder()
        run(client([recorder], [RetryPolicy(limit: 1)]), try Request(.get, "http://a/"))
        let statuses = recorder.events.filter { words([$0]) == ["head"] }.map(\.status?.code)
        XCTAssertEqual(statuses, [503, 200])
    }

    func testTheTimeOfAnAdapterIsNotCountedAsQueued() throws {
        transport.enqueue(ScriptedResponse())
        let recorder = Recorder()
        run(client([recorder], [SlowAdapter(scheduler: scheduler)]), try Request(.get, "http://a/"))
        guard case .finished(let timings)? = recorder.events.last?.kind else { return XCTFail("no end") }
        XCTAssertEqual(timings.queued, .zero)
        XCTAssertEqual(timings.between, .seconds(5))
    }

    func testEachRequestHasItsOwnID() throws {
        transport.route { _ in ScriptedResponse() }
        let recorder = Recorder()
        let client = client([recorder])
        run(client, try Request(.get, "http://a/"))
        run(client, try Request(.get, "http://a/"))
        XCTAssertEqual(Set(recorder.events.map(\.id)).count, 2)
    }

    func testEachRedirectAndEachAttemptIsAnExchange() throws {
        transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"]))
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable))
        transport.enqueue(ScriptedResponse())
        let recorder = Recorder()
        run(
            client([recorder], [RetryPolicy(limit: 1, random: { 1 }, secondsSince1970: { 0 })]),
            try Request(.get, "http://a/"))
        XCTAssertEqual(
            words(recorder.events),
            [
                "started", "queued", "admitted 1", "phase", "head", "exchanged 0 302", "redirect",
                "queued", "admitted 1", "phase", "head", "exchanged 1 503", "retry 0.5 seconds",
                "queued", "admitted 2", "phase", "head", "exchanged 2 200", "finished",
            ])
        guard case .finished(let timings)? = recorder.events.last?.kind else { return XCTFail("no end") }
        XCTAssertEqual(timings.between, .milliseconds(500))
    }

    func testAFailureEndsTheExchangeAndTheRequest() throws {
        transport.enqueue(.reset)
        let recorder = Recorder()
        run(client([recorder]), try Request(.get, "http://a/"))
        XCTAssertEqual(
            words(recorder.events), ["started", "queued", "admitted 1", "phase", "exchanged 0 0", "failed"])
        guard case .exchanged(let exchange)? = recorder.events.first(where: \.isExchanged)?.kind else { return }
        XCTAssertEqual((exchange.failure as? HTTPClientError)?.code, .connectionLost)
    }

    func testDisposingEmitsACancellation() throws {
        transport.enqueue(.silence)
        let recorder = Recorder()
        let subscription = client([recorder]).send(try Request(.get, "http://a/")).subscribe { _ in }
        subscription.dispose()
        XCTAssertEqual(
            words(recorder.events), ["started", "queued", "admitted 1", "phase", "exchanged 0 0", "cancelled"])
    }

    func testEachRequestHasOneFinalEventWithAndWithoutAPeek() throws {
        let responses = [
            ScriptedResponse(status: .notFound, body: "no"),
            ScriptedResponse(status: .notFound, pieces: [[UInt8](repeating: 1, count: 100_000), [2]]),
        ]
        for response in responses {
            for interceptors in [[], [Onlooker()]] as [[any RequestInterceptor]] {
                let refused = try lastEvents(of: response, interceptors) { events in
                    events.validate(statusCodes: 200..<300).subscribe { _ in }
                }
                XCTAssertEqual(refused, ["head", "exchanged 0 404", "failed"])
                let left = try lastEvents(of: response, interceptors) { events in
                    events.take(while: { if case .head = $0 { false } else { true } }).subscribe { _ in }
                }
                XCTAssertEqual(left, ["head", "exchanged 0 404", "cancelled"])
            }
        }
    }

    func testDisposingDuringTheHeadEventEmitsACancellation() throws {
        let subscription = SerialDisposable()
        let monitor = Recorder { if case .head = $0.kind { subscription.dispose() } }
        let response = ScriptedResponse(status: .notFound, body: "no").after(.seconds(1))
        let left = try lastEvents(of: response, [Onlooker()], monitor) { events in
            subscription.disposable = events.subscribe { _ in }
            return subscription
        }
        XCTAssertEqual(left, ["head", "exchanged 0 404", "cancelled"])
    }

    func testABodyThatIsTooLargeEmitsAFailure() throws {
        let recorder = Recorder()
        var configuration = HTTPClient.Configuration()
        (configuration.monitors, configuration.maximumBodySize) = ([recorder], 1)
        transport.enqueue(ScriptedResponse(body: "no"))
        run(
            HTTPClient(transport: transport, scheduler: scheduler, configuration: configuration),
            try Request(.get, "http://a/"))
        XCTAssertEqual(words(recorder.events).suffix(2), ["exchanged 0 200", "failed"])
    }

    func testARequestThatAClosedClientRefusesEmitsAStart() throws {
        let recorder = Recorder()
        let client = client([recorder])
        client.drain().subscribe().dispose()
        run(client, try Request(.get, "http://a/"))
        XCTAssertEqual(words(recorder.events), ["started", "failed"])
    }

    /// Returns the last three events of a request, and checks that no other event follows and that the client is idle.
    private func lastEvents(
        of response: ScriptedResponse, _ interceptors: [any RequestInterceptor], _ recorder: Recorder = Recorder(),
        _ subscribe: (Observable<RequestEvent>) -> any Disposable
    ) throws -> [String] {
        transport.enqueue(response)
        let client = client([recorder], interceptors)
        let subscription = subscribe(client.events(try Request(.get, "http://a/")))
        scheduler.start()
        XCTAssertEqual(recorder.events.filter(\.isLast).count, 1)
        let drained = Locked(false)
        client.drain().subscribe(onCompleted: { drained.withLock { $0 = true } }).dispose()
        XCTAssertTrue(drained.withLock { $0 }, "a request is still counted")
        subscription.dispose()
        return words(recorder.events).suffix(3)
    }

    func testAFailingAdapterLeavesAnExchangeThatWasNotAdmitted() throws {
        let recorder = Recorder()
        run(client([recorder], [Refusal()]), try Request(.get, "http://a/"))
        XCTAssertEqual(words(recorder.events), ["started", "queued", "exchanged 0 0", "failed"])
        guard case .exchanged(let exchange)? = recorder.events.first(where: \.isExchanged)?.kind else { return }
        XCTAssertFalse(exchange.wasAdmitted)
    }

    func testSeveralMonitorsReceiveEventsInTheirOrder() throws {
        transport.enqueue(ScriptedResponse())
        let log = Locked<[String]>([])
        run(
            client([
                Recorder { _ in log.withLock { $0.append("first") } },
                Recorder { _ in log.withLock { $0.append("second") } },
            ]),
            try Request(.get, "http://a/"))
        let order = log.withLock { $0 }
        XCTAssertEqual(order.count, 14)
        XCTAssertEqual(Array(order.prefix(4)), ["first", "second", "first", "second"])
    }

    func testATagFromTheStartIsAvailableInTheRequestAndInEachEvent() throws {
        transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"]))
        transport.enqueue(ScriptedResponse())
        let marker = Marker()
        run(client([marker]), try Request(.get, "http://a/"))
        XCTAssertEqual(transport.requests.map { $0.headers[.userAgent] }, ["marked", "marked"])
        XCTAssertEqual(marker.unmarked.withLock { $0 }, 0)
    }

    func testAllSubscribersReceiveTheEvents() throws {
        transport.route { _ in ScriptedResponse() }
        let events = ClientEvents()
        let client = client([events])
        run(client, try Request(.get, "http://a/"))
        let (one, two) = (Locked(0), Locked(0))
        let first = events.asObservable().subscribe(onNext: { _ in one.withLock { $0 += 1 } })
        let second = events.asObservable().subscribe(onNext: { _ in two.withLock { $0 += 1 } })
        run(client, try Request(.get, "http://a/"))
        first.dispose()
        second.dispose()
        XCTAssertEqual(one.withLock { $0 }, 7)
        XCTAssertEqual(two.withLock { $0 }, 7)
    }
}

extension ClientEvent {
    fileprivate var isExchanged: Bool { if case .exchanged = kind { true } else { false } }

    fileprivate var isLast: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        default: false
        }
    }
}

private final class Recorder: ClientMonitor {
    private let recorded = Locked<[ClientEvent]>([])
    private let also: @Sendable (ClientEvent) -> Void

    init(_ also: @escaping @Sendable (ClientEvent) -> Void = { _ in }) {
        self.also = also
    }

    var events: [ClientEvent] { recorded.withLock { $0 } }

    func receive(_ event: ClientEvent) {
        recorded.withLock { $0.append(event) }
        also(event)
    }
}

private final class Marker: ClientMonitor {
    struct Mark: RequestTag {}
    let unmarked = Locked(0)

    func willStart(_ request: inout Request) {
        request.tags[Mark.self] = Mark()
    }

    func willSend(_ request: inout Request) {
        if request.tags[Mark.self] != nil { request.headers[.userAgent] = "marked" }
    }

    func receive(_ event: ClientEvent) {
        if event.request.tags[Mark.self] == nil { unmarked.withLock { $0 += 1 } }
    }
}

/// Peeks at responses from 400 up, as every interceptor does by default.
private struct Onlooker: RequestInterceptor {}

private struct Refusal: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        .failed(HTTPClientError(.loginRequired, phase: .refreshing, message: "log in"))
    }
}
