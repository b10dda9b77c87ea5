import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests connections that end in each phase, and which requests are sent again.
final class ConnectionFaultTests: FaultTestCase {
    private let ok = "HTTP/1.1 200 OK\r\n"

    func testAConnectionThatIsResetOrClosedAtOnceIsLostAndNothingIsSentTwice() throws {
        for plan in [ScriptedConnection.reset, .close] {
            let before = server.acceptedConnections
            server.enqueue(connection: plan)
            let transport = transport()
            let outcome = try outcome(transport, server.url + "/")
            // libcurl may see the reset before it takes the connection for made.
            let isNotConnected = outcome.error?.code == .connect
            assert(outcome, isNotConnected ? .connect : .connectionLost, isNotConnected ? .connecting : .waiting)
            XCTAssertEqual(server.acceptedConnections - before, 1)
            try assertTheNextIsWell(transport)
        }
    }

    func testAConnectionThatEndsDuringTheRequestIsLostAndNothingIsSentTwice() throws {
        for (count, body) in [(20, 0), (1000, 32_000_000)] {
            for ending in [ScriptedConnection.Ending.reset, .close] {
                let before = server.acceptedConnections
                server.enqueue(connection: .ended(afterReading: count, by: ending))
                let transport = transport()
                let outcome = try outcome(
                    transport, server.url + "/", method: body > 0 ? .put : .get,
                    body: body > 0 ? .bytes(Array(repeating: 1, count: body)) : .empty)
                // A connection that is closed, and not reset, may accept the whole body first.
                let phase: HTTPClientError.Phase? = body == 0 ? .waiting : ending == .reset ? .sending : nil
                assert(outcome, .connectionLost, phase, "\(ending) after \(count)")
                XCTAssertEqual(server.acceptedConnections - before, 1)
                XCTAssertEqual(outcome.error?.isUnsent, false)
                try assertTheNextIsWell(transport)
            }
        }
    }

    func testARequestWithoutAResponseOnAFreshConnectionIsNotResent() throws {
        for response in [ScriptedResponse.close, .reset] {
            try hit(by: response, .connectionLost, .waiting)
            try hit(by: response, .connectionLost, .waiting, method: .post)
            try hit(by: response, .connectionLost, .waiting, method: .post, body: .text("all of it was sent"))
        }
    }

    func testAFailedReplacementOfAnEndedConnectionIsReportedAsAConnectFailure() throws {
        let (transport, listener) = (transport(), Locked<HandServer?>(HandServer()))
        let url = try XCTUnwrap(listener.withLock { $0?.url })
        let isServed = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [ok] in
            let kept = listener.withLock { $0 }?.accept()
            kept?.read()
            kept?.write(ok + "Content-Length: 2\r\n\r\nok")
            kept?.read(to: "G")
            listener.withLock { $0 = nil }
            // The unread bytes turn its end into a reset.
            withExtendedLifetime(kept) {}
            isServed.signal()
        }
        XCTAssertEqual(try outcome(transport, url).text, "ok")
        let outcome = try outcome(transport, url)
        assert(outcome, .connect, .connecting)
        // If libcurl itself sends the request again, its message is still that of the connection that ended.
        let hasOtherMessage = outcome.error?.description.contains("Recv failure")
        XCTAssertEqual(hasOtherMessage, Quirks.areOff, "\(outcome.error as Any)")
        isServed.wait()
    }

    func testAConnectionThatEndsAnywhereInTheHeadIsLost() throws {
        for head in [
            "H", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-", ok + "Content-Length: 2\r\n",
        ] {
            for ending in [ScriptedResponse.RawEnding.close, .reset] {
                let outcome = try hit(
                    by: .raw(head, then: ending), .connectionLost, head.contains("\n") ? .receiving : .waiting, head)
                XCTAssertNil(outcome.head)
            }
        }
    }

    func testAConnectionThatEndsInTheBodyIsLostAndTheReceivedPartIsDelivered() throws {
        let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
        for rest in ["5\r\nhel", "3\r\nhel", "3\r\nhel\r\n", "3\r\nhel\r\n0\r\n"] {
            for ending in [ScriptedResponse.RawEnding.close, .reset] {
                let outcome = try hit(by: .raw(chunked + rest, then: ending), .connectionLost, .receiving, rest)
                XCTAssertEqual(outcome.text, "hel", rest)
            }
        }
        for ending in [ScriptedResponse.RawEnding.close, .reset] {
            let outcome = try hit(by: .raw(ok + "Content-Length: 5\r\n\r\nhel", then: ending), .connectionLost)
            XCTAssertEqual(outcome.text, "hel")
        }
        // Only a reset distinguishes a truncated body from one that ends with its connection.
        XCTAssertEqual(try hit(by: .raw(ok + "\r\nhel", then: .close), nil).text, "hel")
        try hit(by: .raw(ok + "\r\nhel", then: .reset), .connectionLost)
    }

    // MARK: Kept connections

    /// Leaves `count` kept connections in `transport`.
    private func keep(_ count: Int, in transport: CurlTransport) throws {
        let barrier = Barrier()
        let arrived = expectation(description: "arrived")
        arrived.expectedFulfillmentCount = count
        let ended = expectation(description: "ended")
        ended.expectedFulfillmentCount = count
        for _ in 0..<count { server.enqueue(ScriptedResponse(body: "kept").delayed(until: barrier)) }
        let already = server.requestCount
        let arrivals = server.received.skip(already).subscribe(onNext: { _ in arrived.fulfill() })
        let request = try Request(.get, server.url + "/kept")
        let subscriptions = (0..<count).map { _ in
            transport.parts(request).subscribe { if $0.isStopEvent { ended.fulfill() } }
        }
        wait(for: [arrived], timeout: 20)
        barrier.release()
        wait(for: [ended], timeout: 20)
        arrivals.dispose()
        subscriptions.forEach { $0.dispose() }
    }

    func testAnIdempotentRequestOnAKeptConnectionThatDiesIsResentOnceOnAFreshOne() throws {
        for response in [ScriptedResponse.close, .reset] {
            let transport = transport()
            try keep(1, in: transport)
            let (before, connections) = (server.requestCount, server.acceptedConnections)
            server.enqueue(response, ScriptedResponse(body: "again"))
            let outcome = try outcome(transport, server.url + "/", method: .put, body: .text("x"))
            XCTAssertNil(outcome.error)
            XCTAssertEqual(outcome.text, "again")
            XCTAssertEqual(outcome.reuses, [true, false])
            XCTAssertEqual(server.requestCount - before, 2)
            XCTAssertEqual(server.acceptedConnections - connections, 1)
            transport.shutdown()
        }
    }

    func testAnIdempotentRequestIsResentAfterA408OnAKeptConnection() throws {
        let timeout = ScriptedResponse.raw(
            "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 4\r\n\r\nlate", then: .close)
        for (method, count) in [(HTTPRequest.Method.get, 2), (.put, 2), (.post, 1)] {
            let transport = transport()
            try keep(1, in: transport)
            let before = server.requestCount
            server.enqueue(timeout, ScriptedResponse(body: "again"))
            let outcome = try outcome(transport, server.url + "/", method: method)
            XCTAssertNil(outcome.error)
            XCTAssertEqual(outcome.text, count == 2 ? "again" : "late")
            XCTAssertEqual(server.requestCount - before, count)
            if count == 1 { XCTAssertEqual(try self.outcome(transport, server.url + "/").text, "again") }
            transport.shutdown()
        }
        // On a new connection this is the response.
        server.enqueue(timeout)
        XCTAssertEqual(try outcome(transport(), server.url + "/").text, "late")
    }

    func testARequestIsResentOnceOnly() throws {
        let transport = transport()
        try keep(1, in: transport)
        let before = server.requestCount
        server.enqueue(.close, .close, ScriptedResponse(body: "too late"))
        let outcome = try outcome(transport, server.url + "/")
        assert(outcome, .connectionLost, .waiting)
        XCTAssertEqual(server.requestCount - before, 2)
    }

    func testWhenSeveralKeptConnectionsDieTheRetryUsesAFreshOne() throws {
        let transport = transport()
        try keep(3, in: transport)
        let (before, connections) = (server.requestCount, server.acceptedConnections)
        server.route(where: { $0.connection <= connections }) { _ in .close }
        server.route { _ in ScriptedResponse(body: "fresh") }
        let outcome = try outcome(transport, server.url + "/")
        // If libcurl itself sends the request again, it uses a kept connection, and the request is not sent a third time.
        XCTAssertEqual(outcome.error?.code, Quirks.areOff ? .connectionLost : nil)
        XCTAssertEqual(outcome.text, Quirks.areOff ? "" : "fresh")
        XCTAssertEqual(server.requestCount - before, 2)
    }

    func testANonIdempotentRequestIsNeverSentTwice() throws {
        for (response, phase) in [(ScriptedResponse.close, HTTPClientError.Phase.waiting), (.reset, .waiting)] {
            let transport = transport()
            try keep(1, in: transport)
            let before = server.requestCount
            server.enqueue(response, ScriptedResponse(body: "again"))
            let outcome = try outcome(transport, server.url + "/", method: .post)
            assert(outcome, .connectionLost, phase)
            XCTAssertEqual(outcome.error?.isUnsent, false)
            XCTAssertEqual(server.requestCount - before, 1)
            XCTAssertEqual(try self.outcome(transport, server.url + "/").text, "again")
            transport.shutdown()
        }
    }

    func testARequestWithAPartialResponseIsNotResent() throws {
        let transport = transport()
        try keep(1, in: transport)
        let before = server.requestCount
        server.enqueue(ScriptedResponse(body: "0123456789").truncated(after: 4), ScriptedResponse(body: "again"))
        assert(try outcome(transport, server.url + "/"), .connectionLost, .receiving)
        XCTAssertEqual(server.requestCount - before, 1)
    }

    func testKeptConnectionsThatTheServerClosesAreNotReused() throws {
        for ending in [ScriptedConnection.Ending.close, .reset] {
            let transport = transport()
            try keep(4, in: transport)
            server.endConnections(by: ending)
            waitUntil("the connections have ended") { server.openConnections == 0 }
            try assertTheNextIsWell(transport, "\(ending)")
            transport.shutdown()
        }
    }

    func testAServerThatClosesDespiteKeepAliveFailsNoIdempotentRequest() throws {
        let transport = transport()
        for number in 0..<20 {
            server.enqueue(
                ScriptedResponse(headers: [.connection: "keep-alive"], body: "\(number)")
                    .closingWithoutConnectionClose())
            let outcome = try outcome(transport, server.url + "/")
            XCTAssertNil(outcome.error)
            XCTAssertEqual(outcome.text, "\(number)")
        }
        XCTAssertEqual(server.requestCount, 20)
    }
}
