import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests how long connections are kept, and which request has the next turn.
final class TransportPoolTests: TransportOnScriptedServerTestCase {
    func testAConnectionThatIsIdleForTooLongIsClosedWithoutFurtherRequests() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let transport = transport { $0.pool.idleTimeout = .seconds(1) }
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        XCTAssertEqual(transport.gauges.open, 1)
        let closed = expectation(description: "closed")
        let watch = Observable<Int>.interval(.milliseconds(20), scheduler: LoopScheduler(loop))
            .filter { _ in transport.gauges.open == 0 }.take(1).subscribe(onNext: { _ in closed.fulfill() })
        wait(for: [closed], timeout: 20)
        watch.dispose()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics())
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        XCTAssertEqual(server.acceptedConnections, 2)
    }

    func testAConnectionIsKeptWithTheLongestIdleTimeout() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let transport = transport { $0.pool.idleTimeout = .seconds(Int64.max) }
        for _ in 0..<2 { XCTAssertEqual(try outcome(transport, server.url).text, "ok") }
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testARequestForAFreshConnectionReusesNone() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let transport = transport()
        for isFresh in [false, true, false] {
            XCTAssertEqual(try outcome(transport, server.url) { $0.freshConnection = isFresh }.text, "ok")
        }
        XCTAssertEqual(server.acceptedConnections, 2, "the third request uses a kept one again")
    }

    func testNoIdleCheckAccessesAnEndedTransport() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let transport = transport { $0.pool.idleTimeout = .seconds(1) }
        let url = server.url
        let failures = Batch.run(on: loop, transport, count: 8, concurrency: 4) { _ in
            try Request(.get, url)
        } check: { _, outcome in
            outcome.text == "ok" ? nil : "\(outcome)"
        }
        XCTAssertEqual(failures, [])
        transport.shutdown()
        // By then a check would come if one of the closed connections still had one.
        let later = expectation(description: "later")
        let timer = Observable<Int>.timer(.milliseconds(2500), scheduler: LoopScheduler(loop))
            .subscribe(onNext: { _ in later.fulfill() })
        wait(for: [later], timeout: 20)
        timer.dispose()
    }

    func testAConnectionThatTheServerClosesIsClosedSoon() throws {
        server.enqueue(ScriptedResponse(body: "ok").closingWithoutConnectionClose())
        let transport = transport()
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        let closed = expectation(description: "closed")
        let watch = Observable<Int>.interval(.milliseconds(20), scheduler: LoopScheduler(loop))
            .filter { _ in transport.gauges.open == 0 }.take(1).subscribe(onNext: { _ in closed.fulfill() })
        wait(for: [closed], timeout: 20)
        watch.dispose()
    }

    func testAConnectionThatIsTooOldIsNotReused() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let transport = transport { $0.pool.maximumAge = .seconds(1) }
        let ended = expectation(description: "a second connection")
        let url = server.url
        let state = Locked(0)
        let again = Observable<Int>.interval(.milliseconds(100), scheduler: LoopScheduler(loop))
            .flatMap { _ in transport.parts(try Request(.get, url)) }
            .subscribe(onNext: { [server] _ in
                guard let server, server.acceptedConnections == 2 else { return }
                if state.withLock({ count in
                    count += 1
                    return count == 1
                }) {
                    ended.fulfill()
                }
            })
        wait(for: [ended], timeout: 20)
        again.dispose()
    }

    func testOriginsTakeTurnsForAnyNumberOfRequests() throws {
        let other = try ScriptedServer(on: loop)
        defer { other.close() }
        let transport = transport { $0.pool.maximumConnections = 1 }
        let order = Locked<[String]>([])
        let barrier = Barrier()
        server.route { _ in ScriptedResponse(body: "busy").delayed(until: barrier) }
        other.route { _ in ScriptedResponse(body: "quiet") }
        let done = expectation(description: "done")
        done.expectedFulfillmentCount = 22
        func send(_ url: String, _ name: String) throws {
            let request = try Request(.get, url)
            _ = transport.parts(request).subscribe { event in
                guard event.isStopEvent else { return }
                order.withLock { $0.append(name) }
                done.fulfill()
            }
        }
        for _ in 0..<20 { try send(server.url, "busy") }
        for _ in 0..<2 { try send(other.url, "quiet") }
        // All requests have reached the queue before this.
        loop.execute { barrier.release() }
        wait(for: [done], timeout: 20)
        // The only request of an origin waits for one request of another origin, and not for all of them.
        XCTAssertLessThan(order.withLock { $0.lastIndex(of: "quiet")! }, 8)
    }

    func testLongLivedRequestsDoNotWaitForOrdinaryOnes() throws {
        let transport = transport { $0.pool.maximumConnections = 1 }
        server.route { _ in .silence }
        let request = try Request(.get, server.url)
        let ordinary = (0..<50).map { _ in transport.parts(request).subscribe { _ in } }
        let arrived = expectation(description: "arrived")
        var long = request
        long.transfer = TransferOptions()
        long.transfer?.isLongLived = true
        let arrivals = server.received.filter { _ in transport.gauges.running == 2 }.take(1)
            .subscribe(onNext: { _ in arrived.fulfill() })
        let stream = transport.parts(long).subscribe { _ in }
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        stream.dispose()
        ordinary.forEach { $0.dispose() }
    }

    /// One multi handle of libcurl does not serve so many streams.
    func testVeryManyStreamsAreOpenAtOnceAndOthersReplaceThem() throws {
        OpenFiles.raiseLimit()
        let transport = transport()
        let barrier = Barrier()
        server.route { _ in ScriptedResponse(body: "data: a\n\n").pausing(after: 3, until: barrier) }
        var request = try Request(.get, server.url)
        request.transfer = TransferOptions()
        request.transfer?.isLongLived = true
        var streams: [any Disposable] = []
        func open(_ count: Int) {
            for _ in 0..<(count / 100) {
                let opened = expectation(description: "opened")
                opened.expectedFulfillmentCount = 100
                for _ in 0..<100 {
                    streams.append(
                        transport.parts(request).subscribe { event in
                            if case .next(.body) = event { opened.fulfill() }
                        })
                }
                wait(for: [opened], timeout: 60)
            }
        }
        open(2300)
        XCTAssertEqual(transport.gauges.running, 2300)
        // These streams belong to both multis, and their order is independent of the multis.
        let left = stride(from: 0, to: 2300, by: 2).map { streams[$0] }
        for stream in left { stream.dispose() }
        open(1200)
        XCTAssertEqual(transport.gauges.running, 2350)
        for stream in streams { stream.dispose() }
        _ = loop.executeAndWait {}
        XCTAssertEqual(transport.gauges.running, 0)
    }
}
