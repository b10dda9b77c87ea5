import Foundation
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests that a request is sent again, whatever its method, up to 5 times, if the HTTP/2 server says that it has not processed
/// it: RFC 9113, section 8.7.
final class HTTP2UnprocessedTests: TransportTestCase {
    private static let kinds: [(method: HTTPRequest.Method, body: RequestBody)] = [
        (.get, .empty), (.post, .empty), (.post, .text("x")), (.patch, .stream(.just([1, 2, 3]), isReplayable: true)),
    ]

    private func send(_ method: HTTPRequest.Method, _ body: RequestBody, to server: HTTP2Server) throws -> Outcome {
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        return try outcome(transport, server.url + "/", method: method, body: body) { $0.idleTimeout = .seconds(5) }
    }

    private static func ok(_ stream: UInt32) -> [HTTP2Server.Action] {
        [.head(stream, length: 2), .data(stream, "ok", ends: true)]
    }

    func testAStreamThatIsRefusedFiveTimesSucceedsAtTheSixth() throws {
        for (method, body) in Self.kinds {
            let server = try HTTP2Server { $0.number <= 5 ? [.reset($0.stream, 7)] : Self.ok($0.stream) }
            defer { server.stop() }
            let outcome = try send(method, body, to: server)
            let sendings = Refusals.sendings(method)
            XCTAssertEqual(outcome.error?.code, sendings == 6 ? nil : .connectionLost, "\(method)")
            XCTAssertEqual(outcome.text, sendings == 6 ? "ok" : "", "\(method)")
            XCTAssertEqual(server.requestCount, sendings, "\(method)")
        }
    }

    func testAStreamThatIsAlwaysRefusedFailsAfterSixAttempts() throws {
        for (method, body) in Self.kinds {
            let server = try HTTP2Server { [.reset($0.stream, 7)] }
            defer { server.stop() }
            XCTAssertEqual(try send(method, body, to: server).error?.code, .connectionLost, "\(method)")
            XCTAssertEqual(server.requestCount, Refusals.sendings(method), "\(method)")
        }
    }

    func testAGoAwayBelowTheOnlyStreamOfAFreshConnectionCausesAResend() throws {
        for (method, body) in Self.kinds {
            let server = try HTTP2Server { $0.number == 1 ? [.goAway(last: 0)] : Self.ok($0.stream) }
            defer { server.stop() }
            let outcome = try send(method, body, to: server)
            let isSentAgain = Refusals.sendings(method) > 1 && !Refusals.areTakenForFaults
            let code: HTTPClientError.Code? =
                isSentAgain ? nil : Refusals.areTakenForFaults ? .protocol : .connectionLost
            XCTAssertEqual(outcome.error?.code, code, "\(method)")
            XCTAssertEqual(outcome.text, isSentAgain ? "ok" : "", "\(method)")
            XCTAssertEqual(server.requestCount, isSentAgain ? 2 : 1, "\(method)")
            if isSentAgain { XCTAssertEqual(server.connectionCount, 2, "\(method)") }
        }
    }

    func testAGoAwayBetweenStreamsResendsThoseAboveAndDeliversTheOthers() throws {
        // The first request opens the connection. The other three share it.
        let server = try HTTP2Server { received in
            switch received.number {
            case 2, 3: []
            // A server that ends gracefully sends a warning first, and then the last stream.
            case 4: [.goAway(last: 0x7FFF_FFFF), .goAway(last: 5)] + Self.ok(3) + Self.ok(5)
            default: Self.ok(received.stream)
            }
        }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        XCTAssertEqual(try outcome(transport, server.url + "/").text, "ok")
        let url = server.url + "/"
        let failures = Batch.run(on: loop, transport, count: 3, concurrency: 3) { _ in
            var request = try Request(.post, url, body: .text("x"))
            var options = TransferOptions()
            options.idleTimeout = .seconds(5)
            request.transfer = options
            return request
        } check: { number, outcome in
            if outcome.isCompleted, outcome.text == "ok" { return nil }
            return "\(number): \(outcome.error?.code.rawValue ?? "no error")"
        }
        let isSentAgain = Refusals.sendings(.post) > 1
        // How much libcurl reads at once decides whether the refused stream is the last one of its session.
        let isTakenForFault = Refusals.areTakenForFaults && failures == ["2: protocol"]
        XCTAssertEqual(failures, isSentAgain ? [] : isTakenForFault ? ["2: protocol"] : ["2: connection_lost"])
        XCTAssertEqual(server.requestCount, isSentAgain ? 5 : 4)
        if isSentAgain { XCTAssertEqual(server.connectionCount, 2) }
    }
}
