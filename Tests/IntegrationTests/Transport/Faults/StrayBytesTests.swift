import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests bytes after a response that arrive too late to be seen with it. The client must not take them for the next response.
final class StrayBytesTests: TransportTestCase {
    private let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
    private let genuine = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ngenuine"
    private let long = "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 300_000)

    private final class Sent: Sendable {
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)

        func end() -> Outcome {
            XCTAssertEqual(done.wait(timeout: .now() + 20), .success, "no end")
            return outcome.withLock { $0 }
        }
    }

    /// - Parameter onEvent: called on the loop with each event.
    private static func send(
        _ transport: CurlTransport, _ method: HTTPRequest.Method, _ url: String,
        onEvent: @escaping @Sendable (Event<ResponsePart>) -> Void = { _ in }
    ) throws -> Sent {
        let sent = Sent()
        let request = try Request(method, url)
        _ = transport.parts(request).subscribe { event in
            sent.outcome.withLock { $0.record(event) }
            onEvent(event)
            if event.isStopEvent { sent.done.signal() }
        }
        return sent
    }

    func testBytesBetweenAResponseAndTheNextRequestAreNotUsedAsItsResponse() throws {
        let cases: [(HTTPRequest.Method, String)] = [
            (.get, long), (.head, "HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n"),
            (.get, "HTTP/1.1 204 No Content\r\n\r\n"), (.get, "HTTP/1.1 304 Not Modified\r\n\r\n"),
            (.put, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"),
            (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        ]
        for (method, response) in cases {
            let (server, transport) = (HandServer(), transport())
            let url = server.url
            let connection = Locked<HandConnection?>(nil)
            let next = Locked<Sent?>(nil)
            let first = try Self.send(transport, method, url) { [forged] event in
                guard event.isStopEvent else { return }
                connection.withLock { $0 }?.write(forged)
                let sent = try? Self.send(transport, .post, url)
                next.withLock { $0 = sent }
            }
            connection.withLock { $0 = server.accept() }
            let kept = try XCTUnwrap(connection.withLock { $0 })
            kept.read()
            kept.write(response)
            XCTAssertNil(first.end().error)
            let fresh = try XCTUnwrap(server.accept(), "on the connection with the stray bytes: \(response.prefix(50))")
            fresh.read()
            fresh.write(genuine)
            let outcome = try XCTUnwrap(next.withLock { $0 }).end()
            XCTAssertNil(outcome.error)
            XCTAssertEqual(outcome.text, "genuine")
            transport.shutdown()
        }
    }

    /// Sends a request that the stray bytes cross on the way.
    /// The server's system acknowledges the request within 40 ms. After that the stray bytes look like its response, so that
    /// the test repeats the attempt on a machine that pauses for so long.
    private func crossInTime(
        _ method: HTTPRequest.Method, _ serve: (HandServer) -> Void, until isRight: (Outcome) -> Bool
    ) throws -> Outcome {
        for _ in 0..<9 {
            let outcome = try cross(method, serve)
            if isRight(outcome) { return outcome }
        }
        return try cross(method, serve)
    }

    private func cross(_ method: HTTPRequest.Method, _ serve: (HandServer) -> Void) throws -> Outcome {
        let (server, transport) = (HandServer(), transport())
        let first = try Self.send(transport, .get, server.url)
        let kept = try XCTUnwrap(server.accept())
        kept.read()
        kept.write(long)
        XCTAssertNil(first.end().error)
        kept.confirmLate()
        let next = try Self.send(transport, method, server.url) { [forged] event in
            // This is the last event before libcurl sends.
            if case .next(.phase(.connected)) = event { kept.write(forged) }
        }
        serve(server)
        let outcome = next.end()
        transport.shutdown()
        return outcome
    }

    func testBytesThatCrossTheNextRequestAreNotUsedAsItsResponse() throws {
        let outcome = try crossInTime(.put) { server in
            let fresh = server.accept()
            fresh?.read()
            fresh?.write(genuine)
        } until: {
            $0.text == "genuine"
        }
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.text, "genuine")
    }

    func testANonIdempotentRequestFailsWhenBytesCrossIt() throws {
        let outcome = try crossInTime(.post) { _ in
        } until: {
            $0.error != nil
        }
        XCTAssertNil(outcome.head)
        XCTAssertEqual(outcome.error?.code, .connectionLost)
        XCTAssertEqual(outcome.error?.phase, .waiting)
        XCTAssertEqual(outcome.error?.isUnsent, false)
    }

    func testAShutdownWithTheResponseStopsTheCheckForStrayBytes() throws {
        let (server, transport) = (HandServer(), transport())
        let sent = try Self.send(transport, .get, server.url) { event in
            if event.isStopEvent { transport.shutdown() }
        }
        let connection = try XCTUnwrap(server.accept())
        connection.read()
        connection.write("HTTP/1.1 204 No Content\r\n\r\n")
        XCTAssertNil(sent.end().error)
        XCTAssertNil(connection.read())
    }

    func testConnectionsWithoutStrayBytesAreKept() throws {
        let (server, transport) = (HandServer(), transport())
        var sent = try Self.send(transport, .get, server.url)
        let kept = try XCTUnwrap(server.accept())
        kept.confirmLate()
        for response in [long, "HTTP/1.1 204 No Content\r\n\r\n", long, genuine] {
            kept.read()
            kept.write(response)
            let outcome = sent.end()
            XCTAssertNil(outcome.error)
            if response != genuine { sent = try Self.send(transport, .post, server.url) }
        }
    }
}
