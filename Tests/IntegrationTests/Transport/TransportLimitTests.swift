import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests how many requests run at once, which ones wait, and for how long.
final class TransportLimitTests: TransportOnScriptedServerTestCase {
    func testTheLimitOfAnOriginIsKeptAndTheQueueIsInOrder() throws {
        let transport = transport { $0.pool.maximumConnectionsPerOrigin = 2 }
        server.route { _ in ScriptedResponse(body: "ok").after(.milliseconds(1)) }
        let url = server.url
        let failures = Batch.run(on: loop, transport, count: 40, concurrency: 40) { number in
            try Request(.get, "\(url)/\(number)")
        } check: { _, outcome in
            outcome.text == "ok" ? nil : "\(outcome.error.debugDescription)"
        }
        XCTAssertEqual(failures, [])
        XCTAssertEqual(server.acceptedConnections, 2)
        let order = server.requests.compactMap { Int($0.path.dropFirst()) }
        // Two requests run at once, so that neighbours may change places.
        for (position, number) in order.enumerated() { XCTAssertLessThanOrEqual(abs(position - number), 2) }
    }

    func testAFullQueueIsOverloadedAndAWaitThatIsTooLongTimesOut() throws {
        let transport = transport {
            $0.pool.maximumConnections = 1
            $0.pool.queueLimit = 1
            // The third request has to arrive before the second one times out.
            $0.pool.acquireTimeout = .seconds(1)
        }
        server.enqueue(.silence)
        let arrived = expectation(description: "arrived")
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let request = try Request(.get, server.url)
        let first = transport.parts(request).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        let second = Locked(Outcome())
        let ended = expectation(description: "ended")
        _ = transport.parts(request).subscribe { event in
            second.withLock { $0.record(event) }
            if event.isStopEvent { ended.fulfill() }
        }
        let third = outcome(transport, request)
        XCTAssertEqual(third.error?.code, .overloaded)
        wait(for: [ended], timeout: 20)
        XCTAssertEqual(second.withLock { $0.error?.code }, .timeout)
        XCTAssertEqual(second.withLock { $0.error?.phase }, .queued)
        first.dispose()
    }

    func testALongLivedTransferUsesNoSlotOfOthers() throws {
        let transport = transport { $0.pool.maximumConnections = 1 }
        server.enqueue(.silence)
        let arrived = expectation(description: "arrived")
        let arrivals = server.received.take(1).subscribe(onNext: { _ in arrived.fulfill() })
        var request = try Request(.get, server.url)
        var options = TransferOptions()
        options.isLongLived = true
        request.transfer = options
        let stream = transport.parts(request).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        server.enqueue(ScriptedResponse(body: "ok"))
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        stream.dispose()
    }
}
