import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests TLS that breaks off in the handshake or in the body, and servers that do not speak TLS.
final class TLSFaultTests: FaultTestCase {
    private var secureURL: String { "https://127.0.0.1:\(server.port)/" }

    func testABrokenHandshakeIsATLSErrorAndNothingIsSent() throws {
        let alert = "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}"
        for plan in [
            ScriptedConnection.ended(afterReading: 20, by: .close), .ended(afterReading: 20, by: .reset),
            .greeting(alert),
        ] {
            let transport = transport()
            server.enqueue(connection: plan)
            let outcome = try outcome(transport, secureURL, method: .post)
            assert(outcome, .tls, .securing)
            XCTAssertEqual(outcome.error?.isUnsent, true)
            transport.shutdown()
        }
    }

    func testAServerWithoutTLSIsATLSError() throws {
        server.enqueue(connection: .greeting("HTTP/1.1 400 Bad Request\r\n\r\n"))
        let outcome = try outcome(transport(), secureURL)
        assert(outcome, .tls, .securing)
        XCTAssertEqual(server.requestCount, 0)
    }

    func testAServerThatIgnoresTheHandshakeIsATimeoutInThatPhase() throws {
        server.enqueue(connection: .notReading(until: Barrier()))
        let outcome = try outcome(transport(), secureURL) { $0.connectTimeout = .milliseconds(500) }
        XCTAssertEqual(outcome.error?.code, .timeout)
        XCTAssertEqual(outcome.error?.phase, .securing)
        XCTAssertEqual(outcome.error?.isUnsent, true)
    }

    func testTLSThatEndsInTheBodyWithoutACloseNotifyIsALostConnection() throws {
        for head in ["Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", ""] {
            let body = head.hasPrefix("T") ? "3\r\nhel\r\n" : "hel"
            let server = try SecureServer((text: "HTTP/1.1 200 OK\r\n\(head)\r\n\(body)", ends: true))
            defer { server.stop() }
            let outcome = try outcome(transport { $0.tls.caFile = server.caFile }, server.url + "/") {
                $0.idleTimeout = .seconds(5)
            }
            XCTAssertEqual(outcome.error?.code, .connectionLost, head)
            XCTAssertEqual(outcome.error?.phase, .receiving, head)
            XCTAssertEqual(outcome.text, "hel", head)
        }
    }

    func testALostConnectionOverHTTP1IsReportedAlsoIfTheOriginHasSpokenHTTP2() throws {
        let transport = transport { $0.tls.verification = .insecureAcceptAnyServer }
        let before = try HTTP2Server { [.head($0.stream, ends: true)] }
        let first = try outcome(transport, before.url + "/")
        before.stop()
        XCTAssertTrue(first.phases.contains(.secured(protocol: "h2")), "\(first)")
        let server = try SecureServer(port: before.port, (text: "HTTP/1.1 200 OK\r\n\r\nhel", ends: true))
        defer { server.stop() }
        let second = try outcome(transport, server.url + "/") { $0.idleTimeout = .seconds(5) }
        XCTAssertEqual(second.error?.code, .connectionLost)
        XCTAssertEqual(second.text, "hel")
    }

    func testTLSThatEndsWhileTheSourceOfTheBodyIsSilentIsALostConnection() throws {
        let server = try SecureServer((text: "", ends: true))
        defer { server.stop() }
        let outcome = try outcome(
            transport { $0.tls.caFile = server.caFile }, server.url + "/", method: .post, body: .stream(.never()))
        XCTAssertEqual(outcome.error?.code, .connectionLost, "\(outcome.error.debugDescription)")
    }

    func testTLSThatIsClosedBehindTheResponseEndsATransferWhoseSourceIsSilent() throws {
        for (head, body) in [
            ("Content-Length: 3\r\n", "hel"), ("Transfer-Encoding: chunked\r\n", "3\r\nhel\r\n0\r\n\r\n"),
            ("", "hel"),
        ] {
            let server = try TLSServer(
                protocols: "http/1.1", response: "HTTP/1.1 200 OK\r\n\(head)\r\n\(body)")
            server.start()
            defer { server.stop() }
            let outcome = try outcome(
                transport { $0.tls.caFile = server.caFile }, server.url + "/response",
                body: .stream(Observable.just([1]).concat(Observable.never()))
            ) { $0.totalTimeout = .seconds(8) }
            // With libcurl 8.14.1 the transfer waits for its source. So it does for chunks whose frames libcurl removes.
            let mayWait = LoadedLibcurl.version >= 0x08_01_00 && !head.isEmpty
            XCTAssertTrue(
                (mayWait && outcome.error?.code == .timeout) || outcome.isCompleted,
                "\(head): \(outcome.error.debugDescription)")
            XCTAssertEqual(outcome.text, "hel")
        }
    }

    func testACompleteResponseNeedsNoCloseNotify() throws {
        for (head, body) in [
            ("Content-Length: 3\r\n", "hel"), ("Transfer-Encoding: chunked\r\n", "3\r\nhel\r\n0\r\n\r\n"),
        ] {
            let server = try SecureServer((text: "HTTP/1.1 200 OK\r\n\(head)\r\n\(body)", ends: true))
            defer { server.stop() }
            let outcome = try outcome(transport { $0.tls.caFile = server.caFile }, server.url + "/")
            XCTAssertNil(outcome.error, head)
            XCTAssertEqual(outcome.text, "hel", head)
        }
    }

    func testAResponseOverTLSIsDelivered() throws {
        let server = try SecureServer((text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", ends: false))
        defer { server.stop() }
        XCTAssertEqual(try outcome(transport { $0.tls.caFile = server.caFile }, server.url + "/").text, "hi")
    }
}
