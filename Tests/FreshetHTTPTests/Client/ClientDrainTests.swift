import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class ClientDrainTests: StubbedTestCase {
    private let log = Locked<[String]>([])

    private func client(_ interceptors: any RequestInterceptor...) -> HTTPClient {
        HTTPClient(transport: transport, scheduler: scheduler, interceptors: interceptors)
    }

    private func send(_ client: HTTPClient, isLongLived: Bool = false, as name: String) throws -> any Disposable {
        var request = try Request(.get, "http://a/")
        if isLongLived {
            request.transfer = TransferOptions()
            request.transfer?.isLongLived = true
        }
        return client.send(request).subscribe { [log] result in
            log.withLock { log in
                switch result {
                case .success: log.append("\(name) answered")
                case .failure(let error): log.append("\(name) \((error as? HTTPClientError)?.code.rawValue ?? "?")")
                }
            }
        }
    }

    private func drain(_ client: HTTPClient) -> any Disposable {
        client.drain().subscribe { [log] _ in log.withLock { $0.append("drained") } }
    }

    func testAnIdleClientIsDrainedAtOnceAndRefusesFurtherRequests() throws {
        let client = client()
        drain(client).dispose()
        try send(client, as: "one").dispose()
        try send(client.with(interceptors: [RetryPolicy(limit: 1)]), as: "derived").dispose()
        XCTAssertEqual(log.withLock { $0 }, ["drained", "one cancelled", "derived cancelled"])
        XCTAssertEqual(transport.requestCount, 0)
    }

    func testTheErrorOfADrainedClientSuggestsAnotherClient() throws {
        let client = client()
        drain(client).dispose()
        let error = Locked<HTTPClientError?>(nil)
        client.get("http://a/").subscribe(onFailure: { failure in
            error.withLock { $0 = failure as? HTTPClientError }
        }).dispose()
        XCTAssertEqual(
            error.withLock { $0?.description },
            "cancelled: the client is shutting down; send the request with another (preparing, GET http://a/)")
        XCTAssertEqual(error.withLock { $0?.isUnsent }, true)
    }

    func testRunningRequestsFinishTheirRedirectsAndRetriesDuringADrain() throws {
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable).after(.seconds(1)))
        transport.enqueue(ScriptedResponse(status: .found, headers: [.location: "/b"]).after(.seconds(1)))
        transport.enqueue(ScriptedResponse(body: "ok").after(.seconds(1)))
        let client = client(RetryPolicy(limit: 1, random: { 1 }, secondsSince1970: { 0 }))
        let running = try send(client, as: "one")
        let draining = drain(client)
        let late = try send(client, as: "late")
        scheduler.start()
        XCTAssertEqual(log.withLock { $0.first }, "late cancelled")
        XCTAssertEqual(Set(log.withLock { $0 }), ["late cancelled", "drained", "one answered"])
        XCTAssertEqual(transport.requestCount, 3)
        for subscription in [running, draining, late] { subscription.dispose() }
    }

    func testADrainDoesNotWaitForACancelledRequest() throws {
        transport.enqueue(.silence)
        let client = client()
        let running = try send(client, as: "one")
        let draining = drain(client)
        XCTAssertEqual(log.withLock { $0 }, [])
        running.dispose()
        XCTAssertEqual(log.withLock { $0 }, ["drained"])
        draining.dispose()
    }

    func testADrainEndsLongLivedResponsesAtOnce() throws {
        transport.enqueue(.silence)
        let client = client()
        let stream = try send(client, isLongLived: true, as: "stream")
        drain(client).dispose()
        XCTAssertEqual(Set(log.withLock { $0 }), ["stream cancelled", "drained"])
        XCTAssertEqual(transport.abandoned.count, 1)
        stream.dispose()
    }

    func testAfterTheEndOfWaitingNoRequestWaitsForARetry() throws {
        transport.enqueue(
            ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "30"]).after(.seconds(1)))
        let client = client(RetryPolicy(limit: 1))
        let running = try send(client, as: "one")
        client.endWaiting()
        XCTAssertEqual(log.withLock { $0 }, [])
        scheduler.advanceTo(2000)
        XCTAssertEqual(log.withLock { $0 }, ["one cancelled"])
        running.dispose()
    }

    func testARequestThatARetrierHoldsEndsWhenWaitingIsEnded() throws {
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable))
        let client = client(UndecidedRetrier())
        let waiting = try send(client, as: "one")
        XCTAssertEqual(log.withLock { $0 }, [])
        client.endWaiting()
        XCTAssertEqual(log.withLock { $0 }, ["one cancelled"])
        waiting.dispose()
    }

    private struct UndecidedRetrier: RequestInterceptor {
        func retry(_ attempt: Attempt) -> Single<RetryResult> { .never() }
    }

    func testARequestThatWaitsForARetryEndsWhenWaitingIsEnded() throws {
        transport.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "30"]))
        let client = client(RetryPolicy(limit: 1))
        let waiting = try send(client, as: "one")
        let draining = drain(client)
        XCTAssertEqual(log.withLock { $0 }, [])
        client.endWaiting()
        XCTAssertEqual(Set(log.withLock { $0 }), ["one cancelled", "drained"])
        waiting.dispose()
        draining.dispose()
    }
}
