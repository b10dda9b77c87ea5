import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests requests, and what makes the client refuse or end them.
final class TransportRequestTests: TransportOnScriptedServerTestCase {
    func testContradictoryFieldsAndBodiesAreRefused() throws {
        let transport = transport()
        func code(
            _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: RequestBody = .empty
        ) throws -> HTTPClientError.Code? {
            try outcome(transport, server.url, method: method, headers: headers, body: body).error?.code
        }
        XCTAssertEqual(try code(.get, [.contentLength: "3"], .text("four")), .invalidRequest)
        XCTAssertEqual(try code(.get, [.transferEncoding: "chunked"]), .invalidRequest)
        XCTAssertEqual(try code(.head, [:], .text("x")), .invalidRequest)
        XCTAssertEqual(server.requestCount, 0)
        server.enqueue(ScriptedResponse(body: "ok"))
        XCTAssertNil(try code(.post, [.contentLength: "4"], .text("four")))
        XCTAssertEqual(server.requests.first?.body, Array("four".utf8))
    }

    func testAHandleIsCleanForTheNextRequest() throws {
        let transport = transport()
        for _ in 0..<5 { server.enqueue(ScriptedResponse(body: "ok")) }
        _ = try outcome(
            transport, server.url, method: .post, headers: [HTTPField.Name("X-Once")!: "1"], body: .text("abc"))
        _ = try outcome(transport, server.url)
        _ = try outcome(transport, server.url, method: .head)
        _ = try outcome(transport, server.url, method: .delete)
        let last = try outcome(transport, server.url)
        XCTAssertEqual(last.text, "ok")
        XCTAssertEqual(server.requests.map(\.method.rawValue), ["POST", "GET", "HEAD", "DELETE", "GET"])
        XCTAssertEqual(server.requests.map(\.body.count), [3, 0, 0, 0, 0])
        XCTAssertNil(server.requests[1].headers[HTTPField.Name("X-Once")!])
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testAKeptConnectionThatDiedIsReplacedForGetAndNotForPost() throws {
        let transport = transport()
        for method in [HTTPRequest.Method.get, .post] {
            server.enqueue(ScriptedResponse(body: "one"))
            XCTAssertEqual(try outcome(transport, server.url).text, "one")
            let requestsBefore = server.requestCount
            server.enqueue(.close, ScriptedResponse(body: "two"))
            let outcome = try outcome(transport, server.url, method: method)
            if method == .get {
                XCTAssertEqual(outcome.text, "two")
                XCTAssertEqual(server.requestCount, requestsBefore + 2)
            } else {
                XCTAssertEqual(outcome.error?.code, .connectionLost)
                XCTAssertEqual(outcome.error?.isUnsent, false)
                XCTAssertEqual(server.requestCount, requestsBefore + 1)
            }
        }
    }

    /// auth0/Auth0.Android PR#902: the transport sent a proof of possession twice.
    func testANonResendableRequestIsNotResentOnADeadConnection() throws {
        let transport = transport()
        server.enqueue(ScriptedResponse(body: "one"))
        XCTAssertEqual(try outcome(transport, server.url).text, "one")
        let requestsBefore = server.requestCount
        server.enqueue(.close, ScriptedResponse(body: "two"))
        var request = Request(url: try RequestURL(server.url))
        request.isResendable = false
        let lost = outcome(transport, request)
        XCTAssertEqual(lost.error?.code, .connectionLost)
        XCTAssertEqual(server.requestCount, requestsBefore + 1)
    }

    func testARefusedConnectionAndAnUnknownHostAreErrors() throws {
        let refused = try outcome(transport(), "http://127.0.0.1:\(freePort())/")
        XCTAssertEqual(refused.error?.code, .connect)
        XCTAssertEqual(refused.error?.isUnsent, true)
        let unknown = try outcome(transport(), "http://nowhere.invalid/")
        XCTAssertEqual(unknown.error?.code, .resolve)
        XCTAssertEqual(unknown.error?.isUnsent, true)
    }

    func testEachTimeoutNamesItsPhaseAndIsOnTime() throws {
        let start = loop.now
        let idle = try get(.silence) { $0.idleTimeout = .milliseconds(300) }
        XCTAssertEqual(idle.error?.code, .timeout)
        XCTAssertEqual(idle.error?.phase, .waiting)
        let slow = try get(ScriptedResponse(body: "0123456789").pausing(after: 2, until: Barrier())) {
            $0.idleTimeout = .milliseconds(300)
        }
        XCTAssertEqual(slow.error?.code, .timeout)
        XCTAssertEqual(slow.error?.phase, .receiving)
        let total = try get(.silence) { $0.totalTimeout = .milliseconds(300) }
        XCTAssertEqual(total.error?.code, .timeout)
        let unconnected = try get(.silence) {
            $0.connectTimeout = nil
            $0.idleTimeout = .milliseconds(300)
        }
        XCTAssertEqual(unconnected.error?.phase, .waiting)
        XCTAssertLessThan(start.duration(to: loop.now), .seconds(12))
    }

    func testAnUnfinishedHandshakeTimesOut() throws {
        // A listener with a full queue accepts no connection. A TLS server that sends nothing completes none either.
        server.enqueue(.silence)
        let outcome = try outcome(transport(), server.url.replacingOccurrences(of: "http:", with: "https:")) {
            $0.connectTimeout = .milliseconds(300)
        }
        XCTAssertNotNil(outcome.error)
        XCTAssertTrue(outcome.error?.code == .timeout || outcome.error?.code == .tls)
        XCTAssertEqual(outcome.error?.phase, .securing)
    }
}
