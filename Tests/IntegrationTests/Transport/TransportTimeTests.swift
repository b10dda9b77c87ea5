import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests that each time limit ends a transfer in its own phase and with its own message.
///
/// The limits are as long as a busy machine needs to reach the phase.
final class TransportTimeTests: TransportOnScriptedServerTestCase {
    private func assertTimeout(
        _ outcome: Outcome, in phase: HTTPClientError.Phase, saying words: String, line: UInt = #line
    ) {
        XCTAssertEqual(outcome.error?.code, .timeout, "\(outcome.error.debugDescription)", line: line)
        XCTAssertEqual(outcome.error?.phase, phase, line: line)
        XCTAssertTrue(
            outcome.error?.description.contains(words) == true, "\(outcome.error.debugDescription)", line: line)
        XCTAssertEqual(outcome.error?.isUnsent, [.connecting, .securing].contains(phase), line: line)
    }

    func testAConnectionThatTakesTooLongTimesOutInThePhaseConnecting() throws {
        let listener = try SilentListener(isFull: true)
        defer { listener.close() }
        let outcome = try outcome(transport(), "http://127.0.0.1:\(listener.port)/") {
            $0.connectTimeout = .milliseconds(50)
        }
        assertTimeout(outcome, in: .connecting, saying: "no connection was made")
    }

    func testAHandshakeThatTakesTooLongTimesOutInThePhaseSecuring() throws {
        let listener = try SilentListener()
        defer { listener.close() }
        let url = "https://127.0.0.1:\(listener.port)/"
        let transport = transport()
        let ofItsOwn = try outcome(transport, url) { $0.tlsTimeout = .milliseconds(300) }
        assertTimeout(ofItsOwn, in: .securing, saying: "handshake took too long")
        XCTAssertTrue(
            ofItsOwn.phases.contains(.connected(address: "127.0.0.1:\(listener.port)", reused: false)),
            "\(ofItsOwn.phases)")
        let withTheConnection = try outcome(transport, url) { $0.connectTimeout = .milliseconds(300) }
        assertTimeout(withTheConnection, in: .securing, saying: "not secured in time")
    }

    func testATunnelThatTakesTooLongTimesOutInThePhaseConnecting() throws {
        let silent = try SilentListener()
        let full = try SilentListener(isFull: true)
        defer {
            silent.close()
            full.close()
        }
        for (scheme, url) in [
            ("http", "https://a.test/"), ("https", "https://a.test/"), ("socks5h", "https://a.test/"),
            ("socks5h", "http://a.test/"), ("socks4a", "https://a.test/"),
        ] {
            for listener in [silent, full] {
                let proxy = "\(scheme)://127.0.0.1:\(listener.port)"
                let transport = transport { $0.proxy = .url(proxy) }
                let outcome = try outcome(transport, url) {
                    $0.connectTimeout = .milliseconds(300)
                    $0.tlsTimeout = .milliseconds(50)
                }
                assertTimeout(outcome, in: .connecting, saying: proxy)
                XCTAssertEqual(outcome.error?.origin, String(url.dropLast()))
                XCTAssertEqual(
                    outcome.error?.message.contains(listener === silent ? "through the proxy" : "to the proxy"), true,
                    outcome.error?.message ?? "")
                transport.shutdown()
            }
        }
    }

    func testAHandshakeThroughATunnelTimesOutInThePhaseSecuring() throws {
        let silent = try SilentListener()
        defer { silent.close() }
        for (kind, scheme) in [(TestProxy.Kind.http(), "http"), (.socks5(), "socks5h")] {
            let proxy = TestProxy(kind)
            let transport = transport { $0.proxy = .url("\(scheme)://127.0.0.1:\(proxy.port)") }
            let outcome = try outcome(transport, "https://a.test:\(silent.port)/") {
                $0.tlsTimeout = .milliseconds(300)
            }
            assertTimeout(outcome, in: .securing, saying: "handshake took too long")
            XCTAssertTrue(
                outcome.phases.contains(.connected(address: "127.0.0.1:\(proxy.port)", reused: false)),
                "\(outcome.phases)")
            transport.shutdown()
            proxy.close()
        }
    }

    func testALateFirstByteTimesOutInThePhaseWaiting() throws {
        let first = try get(.silence) { $0.firstByteTimeout = .milliseconds(300) }
        assertTimeout(first, in: .waiting, saying: "no response began")
        let idle = try get(.silence) { $0.idleTimeout = .milliseconds(300) }
        assertTimeout(idle, in: .waiting, saying: "not begun to respond")
    }

    func testALateResponseToASentBodyTimesOutInThePhaseWaiting() throws {
        server.enqueue(.silence)
        let outcome = try outcome(transport(), server.url, method: .post, body: .text("taken")) {
            $0.idleTimeout = .milliseconds(300)
        }
        assertTimeout(outcome, in: .waiting, saying: "not begun to respond")
    }

    func testALateBodyIsNotALateFirstByte() throws {
        let response = ScriptedResponse(body: "ok").after(.milliseconds(10))
        let outcome = try get(response) {
            $0.firstByteTimeout = .seconds(10)
            $0.tlsTimeout = .milliseconds(1)
        }
        XCTAssertEqual(outcome.text, "ok")
    }

    func testSilenceDuringAResponseTimesOutInThePhaseReceiving() throws {
        server.enqueue(ScriptedResponse(body: "all of it").pausing(after: 3, until: Barrier()))
        let outcome = try outcome(transport(), server.url) {
            $0.firstByteTimeout = .seconds(10)
            $0.idleTimeout = .milliseconds(300)
        }
        assertTimeout(outcome, in: .receiving, saying: "silent for too long")
    }

    func testASlowCachedHeadIsNotSilence() throws {
        let fields = (0..<12).map { "X-Field-\($0): a line\r\n" }.joined()
        let response = ScriptedResponse.raw("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok", then: .stay)
        server.enqueue(response)
        server.enqueue(response.paced(24, every: .milliseconds(200)))
        let transport = transport()
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        let slow = try outcome(transport, server.url) { $0.idleTimeout = .seconds(2) }
        XCTAssertEqual(slow.text, "ok", "\(slow.error.debugDescription)")
    }

    func testATransferThatTakesTooLongTimesOutInThePhaseWaiting() throws {
        let outcome = try get(.silence) { $0.totalTimeout = .milliseconds(300) }
        assertTimeout(outcome, in: .waiting, saying: "the transfer took too long")
    }

    func testAnUnreadBodyTimesOutInThePhaseSending() throws {
        let listener = try SilentListener()
        defer { listener.close() }
        let body = RequestBody.bytes([UInt8](repeating: 1, count: 32 << 20))
        let outcome = try outcome(
            transport(), "http://127.0.0.1:\(listener.port)/", method: .put, body: body
        ) {
            $0.idleTimeout = .milliseconds(300)
            $0.firstByteTimeout = .milliseconds(10)
        }
        assertTimeout(outcome, in: .sending, saying: "takes nothing more")
    }

    func testTheDeadlineOfARequestNamesThePhaseThatItReached() throws {
        let listener = try SilentListener()
        let full = try SilentListener(isFull: true)
        defer {
            listener.close()
            full.close()
        }
        server.route { _ in .silence }
        let busy = transport { $0.pool.maximumConnections = 1 }
        let first = busy.parts(try Request(.get, server.url)).subscribe { _ in }
        let cases: [(CurlTransport, String, HTTPClientError.Phase)] = [
            (busy, server.url, .queued),
            (transport { $0.addresses.resolver = ScriptedResolver([:], after: .never()) }, "http://a.test", .resolving),
            (transport(), "http://127.0.0.1:\(full.port)", .connecting),
            (transport(), "https://127.0.0.1:\(listener.port)", .securing),
            (transport { $0.proxy = .url("http://127.0.0.1:\(listener.port)") }, "https://a.test", .connecting),
            (transport(), server.url, .waiting),
        ]
        for (transport, url, phase) in cases {
            let client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop))
            var request = try Request(.get, url)
            request.timeout = .seconds(1)
            let ended = expectation(description: "ended")
            _ = client.send(request).subscribe(onFailure: { error in
                let error = error as? HTTPClientError
                XCTAssertEqual(error?.code, .timeout)
                XCTAssertEqual(error?.phase, phase, "\(error.debugDescription)")
                ended.fulfill()
            })
            wait(for: [ended], timeout: 20)
        }
        first.dispose()
    }

    func testTheWaitForATurnDoesNotCountAsTransferTime() throws {
        let transport = transport { $0.pool.maximumConnections = 1 }
        server.enqueue(ScriptedResponse(body: "slow").after(.milliseconds(2500)))
        server.enqueue(ScriptedResponse(body: "ok"))
        let first = try Request(.get, server.url)
        let done = expectation(description: "first")
        _ = transport.parts(first).subscribe { if $0.isStopEvent { done.fulfill() } }
        let second = try outcome(transport, server.url) {
            $0.totalTimeout = .seconds(2)
            $0.connectTimeout = .seconds(2)
        }
        wait(for: [done], timeout: 20)
        XCTAssertEqual(second.text, "ok", "\(second.error.debugDescription)")
    }
}
