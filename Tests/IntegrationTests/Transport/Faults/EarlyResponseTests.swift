import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests responses before the end of the request, bytes outside a response, and servers that do not read or write.
final class EarlyResponseTests: FaultTestCase {
    func testAResponseBeforeTheEndOfTheBodyIsDeliveredAndTheConnectionIsClosed() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.beforeBody = { _ in ScriptedResponse(status: .contentTooLarge, body: "too much") }
        let strict = try ScriptedServer(on: loop, configuration: configuration)
        defer { strict.close() }
        let transport = transport()
        let body = RequestBody.bytes(Array(repeating: 1, count: 8_000_000))
        let outcome = try outcome(transport, strict.url + "/", method: .put, body: body)
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.head?.status, .contentTooLarge)
        XCTAssertEqual(outcome.text, "too much")
        XCTAssertEqual(strict.requestCount, 1)
        let again = try self.outcome(transport, strict.url + "/", method: .get)
        XCTAssertNil(again.error)
        XCTAssertEqual(strict.acceptedConnections, 2)
    }

    func testBytesBeforeAnyRequestAreNotUsedAsAResponse() throws {
        server.enqueue(connection: .greeting("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"))
        let transport = transport()
        server.route { _ in ScriptedResponse(body: "genuine") }
        // On a new connection nothing distinguishes the two responses. The request after them must get the right one.
        _ = try outcome(transport, server.url + "/first")
        let next = try outcome(transport, server.url + "/next", method: .post)
        XCTAssertNil(next.error)
        XCTAssertEqual(next.text, "genuine")
    }

    func testBytesOnAnIdleKeptConnectionEndIt() throws {
        for text in [
            "x", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged", "HTTP/1.1 408 Request Timeout\r\n\r\n",
        ] {
            let transport = transport()
            server.enqueue(ScriptedResponse(body: "first"))
            XCTAssertEqual(try outcome(transport, server.url + "/").text, "first")
            server.sendUnsolicited(text)
            waitUntil("the connection has ended") { server.openConnections == 0 }
            try assertTheNextIsWell(transport, text)
            transport.shutdown()
        }
    }

    func testAServerThatDoesNotReadCausesATimeout() throws {
        let barrier = Barrier()
        server.enqueue(connection: .notReading(until: barrier))
        let transport = transport()
        let body = RequestBody.bytes(Array(repeating: 1, count: 16_000_000))
        let outcome = try outcome(transport, server.url + "/", method: .put, body: body) {
            $0.idleTimeout = .milliseconds(300)
        }
        XCTAssertEqual(outcome.error?.code, .timeout)
        XCTAssertEqual(outcome.error?.phase, .sending)
        barrier.release()
        try assertTheNextIsWell(transport)
    }

    func testAServerThatReadsLateReceivesTheWholeBody() throws {
        let barrier = Barrier()
        server.enqueue(connection: .notReading(until: barrier))
        server.enqueue(ScriptedResponse(body: "all of it"))
        let text = Locked("")
        let done = expectation(description: "done")
        let request = try Request(.put, server.url + "/", body: .bytes(Array(repeating: 1, count: 8_000_000)))
        let subscription = transport().parts(request).subscribe { event in
            if case .next(.body(let bytes)) = event { text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
            if event.isStopEvent { done.fulfill() }
        }
        waitUntil("it has connected") { server.acceptedConnections == 1 }
        XCTAssertEqual(server.requestCount, 0)
        barrier.release()
        wait(for: [done], timeout: 20)
        subscription.dispose()
        XCTAssertEqual(text.withLock { $0 }, "all of it")
        XCTAssertEqual(server.requests[0].body.count, 8_000_000)
    }

    // MARK: Slow answers

    func testAResponseSentByteByByteIsReadTheSame() throws {
        for response in [
            ScriptedResponse(body: "slow"), ScriptedResponse(body: "slow").chunked(["er"]).withTrailers([.eTag: "x"]),
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow", then: .stay),
        ] {
            let outcome = try hit(by: response.paced(1, every: .milliseconds(1)), nil, isReused: true)
            XCTAssertTrue(outcome.text.hasPrefix("slow"))
        }
    }

    func testSilenceAnywhereInTheResponseIsATimeout() throws {
        for (count, phase) in [(0, HTTPClientError.Phase.waiting), (10, .waiting), (20, .receiving), (45, .receiving)] {
            let throttle = Throttle()
            throttle.allow(count)
            let response = ScriptedResponse.raw(
                "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + String(repeating: "x", count: 40))
            try hit(by: response.throttled(by: throttle), .timeout, phase, "\(count) bytes") {
                $0.idleTimeout = .milliseconds(300)
            }
        }
    }

    func testASlowSteadyBodyEndsAtTheTotalTimeout() throws {
        let endless = ScriptedResponse.repeating(Array(repeating: 120, count: 100), times: .max).paced(
            200, every: .milliseconds(5))
        let outcome = try hit(by: endless, .timeout) {
            $0.idleTimeout = .milliseconds(600)
            $0.totalTimeout = .milliseconds(800)
        }
        XCTAssertLessThan(outcome.body.count, 100_000)
    }

    // MARK: Redirects

    func testAnInvalidLocationIsAnError() throws {
        for location in [
            "http://", "http://[::1", "ftp://example.com/", "javascript:alert(1)", "http://a b/", "//",
            "http://x:99999/",
        ] {
            let (error, code) = try redirected(to: location)
            XCTAssertNotNil(error, location)
            XCTAssertTrue(
                [.invalidRequest, .forbiddenRedirect, .protocol].contains(code),
                "\(location): \(String(describing: error))")
        }
    }

    private func redirected(to location: String) throws -> (HTTPClientError?, HTTPClientError.Code?) {
        let transport = transport()
        let client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop))
        server.enqueue(.raw("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n", then: .stay))
        let error = Locked<(any Error)?>(nil)
        let done = expectation(description: "done")
        let subscription = client.get(server.url + "/").subscribe { result in
            if case .failure(let failure) = result { error.withLock { $0 = failure } }
            done.fulfill()
        }
        wait(for: [done], timeout: 30)
        subscription.dispose()
        try assertTheNextIsWell(transport, isReused: nil, location)
        transport.shutdown()
        let failure = error.withLock { $0 } as? HTTPClientError
        return (failure, failure?.code)
    }
}
