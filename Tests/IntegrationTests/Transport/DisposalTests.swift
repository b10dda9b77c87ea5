import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests requests that are disposed of in each phase: nothing of them is left, and the server sees their connections end.
final class DisposalTests: TransportOnScriptedServerTestCase {
    private func client(
        _ interceptors: any RequestInterceptor...,
        configure: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) -> (HTTPClient, CurlTransport) {
        let transport = transport(configure)
        return (
            HTTPClient(transport: transport, scheduler: LoopScheduler(loop), interceptors: interceptors), transport
        )
    }

    /// Sends `request`, disposes of it at the first event for which `isThere` is true, and waits until it is gone.
    private func leave(
        _ client: HTTPClient, _ transport: CurlTransport, _ request: Request,
        when isThere: @escaping @Sendable (RequestEvent) -> Bool
    ) {
        let reached = expectation(description: "reached")
        reached.assertForOverFulfill = false
        let subscription = client.events(request).subscribe(
            onNext: { if isThere($0) { reached.fulfill() } },
            onError: { XCTFail("ended by itself: \($0)") })
        wait(for: [reached], timeout: 20)
        subscription.dispose()
        awaitIdle(transport)
    }

    private func awaitIdle(_ transport: CurlTransport) {
        let deadline = Date().addingTimeInterval(20)
        var gauges = transport.gauges
        while gauges.running + gauges.queued + gauges.open - gauges.idle > 0, Date() < deadline {
            usleep(1000)
            gauges = transport.gauges
        }
        XCTAssertEqual(gauges.running + gauges.queued + gauges.open - gauges.idle, 0, "\(gauges)")
    }

    private func awaitNoConnection() {
        let deadline = Date().addingTimeInterval(20)
        while server.openConnections > 0, Date() < deadline { usleep(1000) }
        XCTAssertEqual(server.openConnections, 0)
    }

    func testDisposingAQueuedRequestLeavesNothingOpen() throws {
        let (client, transport) = client { $0.pool.maximumConnectionsPerOrigin = 1 }
        server.route { _ in .silence }
        let request = try Request(.get, server.url)
        let arrived = expectation(description: "arrived")
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let first = client.events(request).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        let second = client.events(request).subscribe { _ in XCTFail("it had its turn") }
        let deadline = Date().addingTimeInterval(20)
        while transport.gauges.queued == 0, Date() < deadline { usleep(1000) }
        second.dispose()
        while transport.gauges.queued > 0, Date() < deadline { usleep(1000) }
        XCTAssertEqual(transport.gauges.queued, 0)
        XCTAssertEqual(transport.gauges.running, 1)
        first.dispose()
        arrivals.dispose()
        awaitIdle(transport)
        XCTAssertEqual(server.requestCount, 1)
    }

    func testDisposingAResolvingRequestLeavesNothingOpen() throws {
        let (client, transport) = client()
        let reached = expectation(description: "reached")
        let subscription = SerialDisposable()
        subscription.disposable = client.events(try Request(.get, "http://freshet.invalid/")).subscribe(
            onNext: { event in
                guard case .phase(.admitted) = event else { return }
                // On the loop's thread, because a resolver can respond before the test's thread wakes.
                subscription.dispose()
                reached.fulfill()
            },
            onError: { XCTFail("ended by itself: \($0)") })
        wait(for: [reached], timeout: 20)
        awaitIdle(transport)
    }

    func testDisposingAConnectingRequestLeavesNothingOpen() throws {
        let listener = try SilentListener(isFull: true)
        defer { listener.close() }
        let (client, transport) = client()
        leave(client, transport, try Request(.get, "http://127.0.0.1:\(listener.port)/")) { event in
            if case .phase(.resolved) = event { true } else { false }
        }
    }

    func testDisposingASecuringRequestLeavesNothingOpen() throws {
        let listener = try SilentListener()
        defer { listener.close() }
        let (client, transport) = client()
        leave(client, transport, try Request(.get, "https://127.0.0.1:\(listener.port)/")) { event in
            if case .phase(.connected) = event { true } else { false }
        }
        XCTAssertTrue(listener.seesTheEnd())
    }

    func testDisposingASendingRequestLeavesNothingOpen() throws {
        let listener = try SilentListener()
        defer { listener.close() }
        let (client, transport) = client()
        let body = RequestBody.stream(.just([UInt8](repeating: 1, count: 65_536)).concat(Observable.never()))
        let request = try Request(.post, "http://127.0.0.1:\(listener.port)/", body: body)
        leave(client, transport, request) { event in
            if case .sent(let bytes, _) = event { bytes > 0 } else { false }
        }
        XCTAssertTrue(listener.seesTheEnd())
    }

    func testDisposingAWaitingRequestLeavesNothingOpen() throws {
        let (client, transport) = client()
        server.enqueue(.silence)
        let arrived = expectation(description: "arrived")
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let subscription = client.events(try Request(.get, server.url)).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        subscription.dispose()
        arrivals.dispose()
        awaitIdle(transport)
        awaitNoConnection()
    }

    func testDisposingAReceivingRequestLeavesNothingOpen() throws {
        let (client, transport) = client()
        server.enqueue(
            .repeating([UInt8](repeating: 1, count: 1000), times: 1000).pausing(after: 2000, until: Barrier()))
        leave(client, transport, try Request(.get, server.url)) { event in
            if case .body = event { true } else { false }
        }
        awaitNoConnection()
    }

    func testDisposingDuringARetryDelayLeavesNothingOpen() throws {
        let (client, transport) = client(RetryPolicy(limit: 1))
        server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "30"]))
        leave(client, transport, try Request(.get, server.url)) { event in
            if case .retry = event { true } else { false }
        }
        XCTAssertEqual(server.requestCount, 1)
    }

    func testDisposingDuringARetryDecisionLeavesNothingOpen() throws {
        let started = expectation(description: "asked")
        let disposed = expectation(description: "left")
        let (client, transport) = client(
            WaitingInterceptor(started: { started.fulfill() }, disposed: { disposed.fulfill() }))
        server.enqueue(ScriptedResponse(status: .unauthorized, body: "no"))
        let subscription = client.events(try Request(.get, server.url)).subscribe { _ in }
        wait(for: [started], timeout: 20)
        subscription.dispose()
        wait(for: [disposed], timeout: 20)
        awaitIdle(transport)
    }

    func testDisposingDuringAnAdaptationLeavesNothingOpen() throws {
        let started = expectation(description: "asked")
        let disposed = expectation(description: "left")
        let (client, transport) = client(
            WaitingInterceptor(adapts: true, started: { started.fulfill() }, disposed: { disposed.fulfill() }))
        let subscription = client.events(try Request(.get, server.url)).subscribe { _ in }
        wait(for: [started], timeout: 20)
        subscription.dispose()
        wait(for: [disposed], timeout: 20)
        awaitIdle(transport)
        XCTAssertEqual(server.requestCount, 0)
    }
}

/// Reports that it was asked, and never responds, as a refresh that takes long.
private struct WaitingInterceptor: RequestInterceptor {
    var adapts = false
    let started: @Sendable () -> Void
    let disposed: @Sendable () -> Void

    private func waitForever<Value>() -> Single<Value> {
        .create { [started, disposed] _ in
            started()
            return Disposables.create(with: disposed)
        }
    }

    func adapt(_ request: inout Request) -> Adaptation { adapts ? .waiting(waitForever()) : .ready }
    func retry(_ attempt: Attempt) -> Single<RetryResult> { waitForever() }
}
