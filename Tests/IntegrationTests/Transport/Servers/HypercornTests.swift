import Dispatch
import FreshetCore
import FreshetHTTP
import HTTPTypes
import Synchronization
import XCTest

@testable import FreshetCurl

/// Tests hypercorn, which closes a connection after a fixed number of requests, and reports each piece of a body that it has read.
final class HypercornTests: ServerTestCase {
    private static let requestsPerConnection = 100

    private func start() throws -> ServerProcess {
        try ServerProcess("hypercorn") { site in
            try site.write(
                """
                import asyncio

                async def app(scope, receive, send):
                    if scope["type"] != "http":
                        return
                    while scope["path"] == "/slow" and (await receive())["more_body"]:
                        await asyncio.sleep(0.004)
                    if scope["path"] == "/later":
                        await asyncio.sleep(3)
                    if scope["path"] == "/paced":
                        await send({"type": "http.response.start", "status": 200, "headers": []})
                        for _ in range(150):
                            await send({"type": "http.response.body", "body": bytes(65536), "more_body": True})
                            await asyncio.sleep(0.02)
                        await send({"type": "http.response.body", "body": b""})
                        return
                    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
                    await send({"type": "http.response.body", "body": b"ok"})
                """, to: "app.py")
            let configuration = try site.write(
                """
                bind = ["localhost:\(site.securePort)"]
                insecure_bind = ["localhost:\(site.plainPort)"]
                certfile = "\(site.certificate)"
                keyfile = "\(site.key)"
                keep_alive_max_requests = \(Self.requestsPerConnection)
                workers = 0
                """, to: "hypercorn.toml")
            return ["--config", configuration, "\(site.directory)/app.py:app"]
        }
    }

    func testAGetOverHTTP2IsNotLost() throws {
        let server = try start()
        let transport = trusting(server)
        let losses = losses(of: 500, .get, server.secure, through: transport, version: .http2, concurrency: 1)
        assert(losses, atMost: 0, of: 500)
    }

    /// hypercorn ends a connection while requests run on it. It also says that it has not processed requests to which it has
    /// begun to respond.
    func testOnlyConcurrentGetsOnAClosedConnectionAreLost() throws {
        let server = try start()
        let losses = losses(of: 1000, .get, server.secure, through: trusting(server), version: .http2)
        let ends = 1000 / Self.requestsPerConnection
        assert(
            losses, atMost: ends * (Self.concurrency - 1), of: 1000, codes: [.connectionLost, .protocol])
    }

    /// While the socket is full, libcurl reads the server's frames and the request's body in different calls.
    func testTheReportsOfASlowReaderAreNoFlood() throws {
        let server = try start()
        let body = RequestBody.bytes(Array(repeating: 0, count: 12 << 20))
        let losses = losses(
            of: 1, .put, server.secure + "/slow", through: trusting(server), body: body, version: .http2)
        assert(losses, atMost: 0, of: 1)
    }

    /// libcurl reads on for the other request, and keeps what arrives for the paused one.
    func testABodyThatItsReceiverPausesIsNoFlood() throws {
        let server = try start()
        let transport = trusting(server)
        var options = TransferOptions()
        options.version = .http2
        var paced = try Request(.get, server.secure + "/paced")
        paced.transfer = options
        var later = try Request(.get, server.secure + "/later")
        later.transfer = options
        let outcome = Locked(Outcome())
        let isBegun = Atomic(false)
        let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let subscription = SerialDisposable()
        subscription.disposable = transport.parts(paced).subscribe { event in
            outcome.withLock { $0.record(event) }
            if case .next(.body) = event, !isBegun.exchange(true, ordering: .relaxed) {
                subscription.pause()
                begun.signal()
            }
            if event.isStopEvent { done.signal() }
        }
        XCTAssertEqual(begun.wait(timeout: .now() + 20), .success, "no part of the body in 20 s")
        let other = self.outcome(transport, later)
        XCTAssertEqual(other.text, "ok", "\(String(describing: other.error))")
        subscription.resume()
        XCTAssertEqual(done.wait(timeout: .now() + 20), .success, "no end in 20 s")
        subscription.dispose()
        let (size, error) = outcome.withLock { ($0.body.count, $0.error) }
        XCTAssertNil(error)
        XCTAssertEqual(size, 150 * 65_536)
    }

    func testAGetOverHTTP1IsNotLost() throws {
        let server = try start()
        // Without the guard libcurl itself sends the request again on another kept connection. It is lost if that one ends as
        // well.
        let lost = Quirks.areOff ? 2000 / Self.requestsPerConnection / 2 : 0
        assertNoneIsLost(2000, .get, server.plain, through: transport(), lost: lost)
    }
}
