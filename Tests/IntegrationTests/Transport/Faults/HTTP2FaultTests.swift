import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests requests whose HTTP/2 stream or connection ends too early.
final class HTTP2FaultTests: TransportTestCase {
    /// - Parameter bodyCame: signalled when the first piece of the body has arrived.
    private func run(
        _ server: HTTP2Server, method: HTTPRequest.Method = .get, body: RequestBody = .empty,
        bodyCame: DispatchSemaphore? = nil, options: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Outcome {
        var request = try Request(method, server.url + "/", body: body)
        var transfer = TransferOptions()
        transfer.idleTimeout = .seconds(5)
        options(&transfer)
        request.transfer = transfer
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = trusting(server).parts(request).subscribe { event in
            outcome.withLock { $0.record(event) }
            if case .next(.body) = event { bodyCame?.signal() }
            if event.isStopEvent { done.signal() }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success, "no end in 30 s")
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    private func trusting(_ server: TLSServer) -> CurlTransport {
        transport { $0.tls.caFile = server.caFile }
    }

    func testAResponseInHandwrittenFramesIsDelivered() throws {
        let server = try HTTP2Server { [.head($0.stream, length: 5), .data($0.stream, "hello", ends: true)] }
        defer { server.stop() }
        let outcome = try run(server)
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.text, "hello")
        XCTAssertTrue(outcome.phases.contains(.secured(protocol: "h2")))
    }

    func testAStreamThatIsResetInItsBodyIsAnErrorWhateverTheCode() throws {
        // The codes are NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, REFUSED_STREAM, CANCEL and ENHANCE_YOUR_CALM.
        for code: UInt32 in [0, 1, 2, 7, 8, 11] {
            // Without a length libcurl 7.88 takes NO_ERROR for the end of the body.
            for length in code == 0 ? [10] : [10, nil] {
                let bodyCame = DispatchSemaphore(value: 0)
                let server = try HTTP2Server {
                    [
                        .head($0.stream, length: length), .data($0.stream, "hel"), .wait(bodyCame),
                        .reset($0.stream, code),
                    ]
                }
                defer { server.stop() }
                let outcome = try run(server, bodyCame: bodyCame)
                XCTAssertNotNil(outcome.error, "code \(code)")
                XCTAssertTrue([.connectionLost, .protocol].contains(outcome.error?.code), "code \(code)")
                XCTAssertEqual(outcome.error?.phase, .receiving, "code \(code)")
                XCTAssertFalse(outcome.isCompleted)
                XCTAssertEqual(server.requestCount, 1, "code \(code)")
            }
        }
    }

    func testTheReasonOfAResetIsInTheMessage() throws {
        let cases: [(UInt32, String)] = [
            (1, "PROTOCOL_ERROR"), (2, "INTERNAL_ERROR"), (8, "CANCEL"), (11, "ENHANCE_YOUR_CALM"),
        ]
        for (reason, word) in cases {
            let server = try HTTP2Server { [.reset($0.stream, reason)] }
            defer { server.stop() }
            let error = try run(server, method: .post, body: .text("x")).error
            XCTAssertEqual(error?.code, .connectionLost, word)
            XCTAssertEqual(error?.message.contains(word), true, error?.message ?? "")
        }
    }

    func testABodyLongerThanItsLengthIsAnError() throws {
        let server = try HTTP2Server { [.head($0.stream, length: 2), .data($0.stream, "hello", ends: true)] }
        defer { server.stop() }
        let outcome = try run(server)
        XCTAssertNotNil(outcome.error)
        XCTAssertFalse(outcome.isCompleted)
    }

    func testAResetWithNoErrorAfterTheWholeResponseIsIgnored() throws {
        let server = try HTTP2Server {
            [.head($0.stream, length: 5), .data($0.stream, "hello", ends: true), .reset($0.stream, 0)]
        }
        defer { server.stop() }
        let transport = trusting(server)
        for _ in 0..<2 {
            let outcome = try outcome(transport, server.url + "/") { $0.idleTimeout = .seconds(5) }
            XCTAssertNil(outcome.error)
            XCTAssertEqual(outcome.text, "hello")
        }
    }

    func testACancelledPostIsNotResent() throws {
        let server = try HTTP2Server { [.reset($0.stream, 8)] }
        defer { server.stop() }
        XCTAssertNotNil(try run(server, method: .post, body: .text("x")).error)
        XCTAssertEqual(server.requestCount, 1)
    }

    func testAGoAwayAfterTheStreamStillDeliversItsResponse() throws {
        let server = try HTTP2Server {
            [
                .head($0.stream, length: 5), .data($0.stream, "he"), .goAway(last: $0.stream),
                .data($0.stream, "llo", ends: true),
            ]
        }
        defer { server.stop() }
        let outcome = try run(server)
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.text, "hello")
    }

    func testAConnectionThatEndsInTheBodyIsLost() throws {
        for ending: [HTTP2Server.Action] in [[], [.goAway(last: 1)], [.goAway(last: 1, 2)]] {
            for length in [10, nil] {
                let bodyCame = DispatchSemaphore(value: 0)
                let server = try HTTP2Server {
                    [.head($0.stream, length: length), .data($0.stream, "hel"), .wait(bodyCame)] + ending + [.end]
                }
                defer { server.stop() }
                let outcome = try run(server, bodyCame: bodyCame)
                XCTAssertEqual(outcome.error?.code, .connectionLost, "\(ending) \(length ?? -1)")
                XCTAssertEqual(outcome.error?.phase, .receiving)
                XCTAssertEqual(server.requestCount, 1)
            }
        }
    }

    func testABodyShorterThanItsLengthIsAnError() throws {
        let server = try HTTP2Server { [.head($0.stream, length: 10), .data($0.stream, "hello", ends: true)] }
        defer { server.stop() }
        let outcome = try run(server)
        XCTAssertTrue(
            [.connectionLost, .protocol].contains(outcome.error?.code), "\(String(describing: outcome.error))")
    }

    func testASilentBodyOrAnExhaustedWindowIsATimeout() throws {
        let silent = try HTTP2Server { [.head($0.stream, length: 10), .data($0.stream, "hel")] }
        let outcome = try run(silent) { $0.idleTimeout = .milliseconds(600) }
        silent.stop()
        XCTAssertEqual(outcome.error?.code, .timeout)
        XCTAssertEqual(outcome.error?.phase, .receiving)
        let narrow = try HTTP2Server(initialWindow: 100) { _ in [] }
        let stalled = try run(narrow, method: .put, body: .bytes(Array(repeating: 1, count: 1_000_000))) {
            $0.idleTimeout = .milliseconds(600)
        }
        narrow.stop()
        XCTAssertEqual(stalled.error?.code, .timeout)
        XCTAssertEqual(stalled.error?.phase, .sending)
    }

    func testInvalidHTTP2IsAnErrorWithoutAResponse() throws {
        for garbage in [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "\u{0}\u{0}\u{0}\u{9}",
            String(repeating: "x", count: 100_000),
        ] {
            let server = try HTTP2Server { _ in [.raw(Array(garbage.utf8)), .end] }
            defer { server.stop() }
            let outcome = try run(server)
            XCTAssertNotNil(outcome.error)
            XCTAssertNil(outcome.head)
            XCTAssertTrue(
                [.connectionLost, .protocol].contains(outcome.error?.code), "\(String(describing: outcome.error))")
            XCTAssertEqual(server.requestCount, 1)
        }
    }
}
