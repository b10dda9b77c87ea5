import FreshetHTTP
import HTTPTypes
import XCTest

/// hypercorn closes a connection after so many requests.
final class HypercornTests: ServerTestCase {
    private func start() throws -> ServerProcess {
        try ServerProcess("hypercorn") { place in
            try place.write(
                """
                async def app(scope, receive, send):
                    if scope["type"] != "http":
                        return
                    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
                    await send({"type": "http.response.body", "body": b"ok"})
                """, to: "app.py")
            let configuration = try place.write(
                """
                bind = ["localhost:\(place.securePort)"]
                insecure_bind = ["localhost:\(place.plainPort)"]
                certfile = "\(place.certificate)"
                keyfile = "\(place.key)"
                keep_alive_max_requests = 100
                workers = 0
                """, to: "hypercorn.toml")
            return ["--config", configuration, "\(place.directory)/app.py:app"]
        }
    }

    func testAGetIsNotLost() throws {
        let server = try start()
        assertNoneIsLost(2000, .get, server.secure, through: trusting(server), version: .http2)
    }

    func testAGetOverHTTP1IsNotLost() throws {
        let server = try start()
        assertNoneIsLost(2000, .get, server.plain, through: transport())
    }
}
