import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests that the client sends a request again only if the HTTP/2 server has not processed it.
final class HTTP2RefusalTests: TransportTestCase {
    private func run(
        _ server: HTTP2Server, method: HTTPRequest.Method = .get, body: RequestBody = .empty
    ) throws -> Outcome {
        try outcome(trusting(server), server.url + "/", method: method, body: body) { $0.idleTimeout = .seconds(5) }
    }

    private func trusting(_ server: TLSServer) -> CurlTransport {
        transport { $0.tls.caFile = server.caFile }
    }

    func testOnlyARefusedStreamIsResentUpToFiveTimes() throws {
        let server = try HTTP2Server { received in
            received.number == 1
                ? [.reset(received.stream, 7)]
                : [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
        }
        let outcome = try run(server)
        server.stop()
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.text, "ok")
        for (code, count): (UInt32, Int) in [(7, Refusals.sendings(.get)), (11, 1)] {
            let refusing = try HTTP2Server { [.reset($0.stream, code)] }
            let refused = try run(refusing)
            refusing.stop()
            XCTAssertNotNil(refused.error, "code \(code)")
            XCTAssertEqual(refused.error?.code, .connectionLost, "code \(code)")
            XCTAssertEqual(refusing.requestCount, count, "code \(code)")
        }
    }

    func testARefusedPostOnAFreshConnectionIsResent() throws {
        for body in [RequestBody.empty, .text("x")] {
            let server = try HTTP2Server { received in
                received.number == 1
                    ? [.reset(received.stream, 7)]
                    : [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
            }
            defer { server.stop() }
            let outcome = try run(server, method: .post, body: body)
            let isSentAgain = Refusals.sendings(.post) > 1
            XCTAssertEqual(outcome.error?.code, isSentAgain ? nil : .connectionLost)
            XCTAssertEqual(outcome.text, isSentAgain ? "ok" : "")
            XCTAssertEqual(server.requestCount, isSentAgain ? 2 : 1)
        }
    }

    func testARefusedPostOnAKeptConnectionIsResent() throws {
        for body in [RequestBody.empty, .text("x"), .stream(.just([1, 2, 3]), isReplayable: true)] {
            let server = try HTTP2Server { received in
                received.number == 2
                    ? [.reset(received.stream, 7)]
                    : [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
            }
            defer { server.stop() }
            let transport = trusting(server)
            let isSentAgain = Refusals.sendings(.post) > 1
            for number in 1...2 {
                let outcome = try outcome(transport, server.url + "/", method: .post, body: body) {
                    $0.idleTimeout = .seconds(5)
                }
                let hasResponse = number == 1 || isSentAgain
                XCTAssertEqual(outcome.error?.code, hasResponse ? nil : .connectionLost)
                XCTAssertEqual(outcome.text, hasResponse ? "ok" : "")
            }
            XCTAssertEqual(server.requestCount, isSentAgain ? 3 : 2)
        }
    }

    func testAPostThatIsAlwaysRefusedIsAFailure() throws {
        let server = try HTTP2Server { received in
            received.number > 1
                ? [.reset(received.stream, 7)]
                : [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
        }
        defer { server.stop() }
        let transport = trusting(server)
        XCTAssertEqual(try outcome(transport, server.url + "/", method: .post).text, "ok")
        let refused = try outcome(transport, server.url + "/", method: .post, body: .text("x")) {
            $0.idleTimeout = .seconds(5)
        }
        XCTAssertEqual(refused.error?.code, .connectionLost)
        XCTAssertEqual(server.requestCount, 1 + Refusals.sendings(.post))
    }

    func testAnUnrefusedPostIsNotResentAfterARefusedOne() throws {
        // The server refuses the second request on a kept connection, and the client sends it again. The fourth is lost on a
        // new one.
        let server = try HTTP2Server { received in
            switch received.number {
            case 2: [.reset(received.stream, 7)]
            case 3:
                [
                    .head(received.stream, length: 2), .data(received.stream, "ok", ends: true),
                    .goAway(last: received.stream),
                    .end,
                ]
            case 4...: [.end]
            default: [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
            }
        }
        defer { server.stop() }
        let transport = trusting(server)
        for (number, method) in [HTTPRequest.Method.get, .get, .post].enumerated() {
            let outcome = try outcome(transport, server.url + "/", method: method) { $0.idleTimeout = .seconds(5) }
            XCTAssertEqual(outcome.error == nil, number < 2, "\(number)")
            if number == 1 { XCTAssertEqual(server.connectionCount, 2) }
        }
        // The server may close the connection after its GOAWAY before it reads from it.
        XCTAssertLessThanOrEqual(server.requestCount, 4)
    }

    func testAPostAboveTheLastStreamOfAGoAwayIsResent() throws {
        // The first response lasts until the second stream, which is above the last one of the GOAWAY, has led to a new
        // connection.
        let isTriedAgain = DispatchSemaphore(value: 0)
        let server = try HTTP2Server { received in
            switch received.number {
            case 1: [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
            case 2: [.head(received.stream)]
            case 3: [.goAway(last: 3), .wait(isTriedAgain), .data(3, "slow", ends: true)]
            default: [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
            }
        }
        defer { server.stop() }
        let transport = trusting(server)
        XCTAssertEqual(try outcome(transport, server.url + "/").text, "ok")
        func send(
            _ method: HTTPRequest.Method, on event: @escaping @Sendable (ResponsePart) -> Void
        ) throws -> (response: Locked<Outcome>, ended: DispatchSemaphore, subscription: any Disposable) {
            let (response, ended) = (Locked(Outcome()), DispatchSemaphore(value: 0))
            var request = try Request(method, server.url + "/")
            request.transfer = TransferOptions()
            let subscription = transport.parts(request).subscribe { next in
                response.withLock { $0.record(next) }
                if case .next(let next) = next { event(next) }
                if next.isStopEvent { ended.signal() }
            }
            return (response, ended, subscription)
        }
        let begun = DispatchSemaphore(value: 0)
        let slow = try send(.get) { if case .head = $0 { begun.signal() } }
        XCTAssertEqual(begun.wait(timeout: .now() + 10), .success)
        let refused = try send(.post) { if case .phase(.resolved) = $0 { isTriedAgain.signal() } }
        for sent in [refused, slow] {
            XCTAssertEqual(sent.ended.wait(timeout: .now() + 10), .success)
            sent.subscription.dispose()
        }
        XCTAssertEqual(slow.response.withLock { $0.text }, "slow")
        let isSentAgain = Refusals.sendings(.post) > 1
        XCTAssertEqual(refused.response.withLock { $0.error?.code }, isSentAgain ? nil : .connectionLost)
        XCTAssertEqual(refused.response.withLock { $0.text }, isSentAgain ? "ok" : "")
        XCTAssertEqual(server.requestCount, isSentAgain ? 4 : 3)
    }

    func testAGoAwayBeforeTheStreamEveryTimeIsAFailureAfterTheLastRetry() throws {
        let server = try HTTP2Server { _ in [.goAway(last: 0)] }
        defer { server.stop() }
        let outcome = try run(server)
        XCTAssertEqual(outcome.error?.code, Refusals.areTakenForFaults ? .protocol : .connectionLost)
        XCTAssertEqual(outcome.error?.phase, .waiting)
        XCTAssertEqual(server.requestCount, Refusals.areTakenForFaults ? 1 : Refusals.sendings(.get))
    }

    /// The requests and connections that a server counts for two requests. Both of them get a response, although the server's
    /// GOAWAY excludes the stream of the second.
    private func seenOfTwo(
        method: HTTPRequest.Method = .get, body: RequestBody = .empty
    ) throws -> (requests: Int, connections: Int) {
        let server = try HTTP2Server { received in
            received.number == 2
                ? [.goAway(last: 1)] : [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
        }
        defer { server.stop() }
        let transport = trusting(server)
        for _ in 0..<2 {
            let outcome = try outcome(transport, server.url + "/", method: method, body: body) {
                $0.idleTimeout = .seconds(5)
            }
            XCTAssertNil(outcome.error)
            XCTAssertEqual(outcome.text, "ok")
        }
        return (server.requestCount, server.connectionCount)
    }

    func testAnIdempotentRequestAboveAGoAwayOnAKeptConnectionIsResentOnAnother() throws {
        let seen = try seenOfTwo()
        XCTAssertEqual(seen.requests, 3)
        XCTAssertEqual(seen.connections, 2)
    }

    func testAReplayableBodyAboveAGoAwayIsResent() throws {
        XCTAssertEqual(try seenOfTwo(method: .put, body: .text("x")).requests, 3)
    }

    func testARequestThatTheServerMayHaveProcessedIsNotResent() throws {
        // A GOAWAY above the stream, a GOAWAY with an error, a malformed frame, a frame without a stream, and the end of the
        // connection.
        let endings: [[HTTP2Server.Action]] = [
            [.goAway(last: 3), .end], [.goAway(last: 3, 2), .end], [.frame(0, stream: 0, [1, 2, 3])],
            [.frame(9, flags: 4, stream: 0)], [.end],
        ]
        for (number, ending) in endings.enumerated() {
            let server = try HTTP2Server { received in
                received.number == 2
                    ? ending : [.head(received.stream, length: 2), .data(received.stream, "ok", ends: true)]
            }
            let transport = trusting(server)
            for turn in 1...2 {
                let outcome = try outcome(transport, server.url + "/", method: .post, body: .text("x")) {
                    $0.idleTimeout = .seconds(5)
                }
                XCTAssertEqual(outcome.error == nil, turn == 1, "\(number)")
            }
            XCTAssertEqual(server.requestCount, 2, "\(number)")
            transport.shutdown()
            server.stop()
        }
    }
}
