import FreshetHTTP
import HTTPTypes
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

    func testAGetOverHTTP1IsNotLost() throws {
        let server = try start()
        // Without the guard libcurl itself sends the request again on another kept connection. It is lost if that one ends as
        // well.
        let lost = Quirks.areOff ? 2000 / Self.requestsPerConnection / 2 : 0
        assertNoneIsLost(2000, .get, server.plain, through: transport(), lost: lost)
    }
}
