import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests the gauges of a transport.
final class TransportGaugeTests: TransportOnScriptedServerTestCase {
    func testTheGaugesCountOpenIdleQueuedAndRunning() throws {
        let transport = transport { $0.pool.maximumConnectionsPerOrigin = 2 }
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics())
        server.route { _ in .silence }
        let arrived = expectation(description: "arrived")
        arrived.expectedFulfillmentCount = 2
        let arrivals = server.received.subscribe(onNext: { _ in arrived.fulfill() })
        let request = try Request(.get, server.url)
        let subscriptions = (0..<5).map { _ in transport.parts(request).subscribe { _ in } }
        wait(for: [arrived], timeout: 20)
        arrivals.dispose()
        // The last requests may still be on their way to the loop.
        settle()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 2, idle: 0, queued: 3, running: 2))
        XCTAssertEqual(byOrigin(transport), [request.url.origin: transport.gauges])
        subscriptions.forEach { $0.dispose() }
        settle()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics())
    }

    func testAKeptConnectionIsIdleAndAReusedOneIsNot() throws {
        let transport = transport()
        server.route { _ in ScriptedResponse(body: "ok") }
        for _ in 0..<3 { XCTAssertEqual(try outcome(transport, server.url).text, "ok") }
        settle()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 1))
        XCTAssertEqual(byOrigin(transport), [try Origin(server.url): ConnectionPoolStatistics(open: 1, idle: 1)])
        transport.shutdown()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics())
    }

    func testAKeptConnectionOverAUnixSocketIsIdle() throws {
        // The response comes after libcurl has begun to watch the socket.
        let listener = try UnixListener(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") { [loop] in
            _ = loop?.executeAndWait {}
        }
        defer { listener.close() }
        let transport = transport { $0.addresses.unixSocket = listener.path }
        XCTAssertEqual(try outcome(transport, "http://docker/").text, "ok")
        settle()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 1))
        transport.shutdown()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics())
    }

    func testTheConnectionOfATransferThatEndsAsItResumesIsIdleAndWatched() throws {
        let transport = transport()
        server.enqueue(ScriptedResponse(body: "ok"))
        let (held, ended) = (expectation(description: "held"), expectation(description: "ended"))
        let subscription = SerialDisposable()
        let source = transport.parts(try Request(.get, server.url))
        loop.execute {
            subscription.disposable = source.subscribe { event in
                if event.isStopEvent { ended.fulfill() }
                guard case .next(.head) = event else { return }
                subscription.pause()
                held.fulfill()
            }
        }
        wait(for: [held], timeout: 20)
        settle()
        subscription.resume()
        wait(for: [ended], timeout: 20)
        settle()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 1))
        server.endConnections(by: .close)
        waitUntil("the connection is closed") { transport.gauges == ConnectionPoolStatistics() }
    }

    func testAPausedTransferIsNotIdle() throws {
        let transport = transport()
        server.enqueue(.repeating([UInt8](repeating: 1, count: 65_536), times: 64))
        let held = expectation(description: "held")
        let subscription = SerialDisposable()
        let source = transport.parts(try Request(.get, server.url))
        loop.execute {
            subscription.disposable = source.subscribe { event in
                guard case .next(.body) = event else { return }
                subscription.pause()
                held.fulfill()
            }
        }
        wait(for: [held], timeout: 20)
        settle()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 0, queued: 0, running: 1))
        subscription.dispose()
    }

    private func byOrigin(_ transport: CurlTransport) -> [Origin: ConnectionPoolStatistics]? {
        let result = Locked<[Origin: ConnectionPoolStatistics]?>(nil)
        let done = expectation(description: "read")
        _ = transport.gaugesByOrigin().subscribe(onSuccess: { readings in
            result.withLock { $0 = readings }
            done.fulfill()
        })
        wait(for: [done], timeout: 20)
        return result.withLock { $0 }
    }

    /// Waits for the work that was submitted to the loop, and for the work that it submits.
    private func settle() {
        for _ in 0..<3 {
            let done = expectation(description: "settled")
            loop.execute { done.fulfill() }
            wait(for: [done], timeout: 20)
        }
    }
}
