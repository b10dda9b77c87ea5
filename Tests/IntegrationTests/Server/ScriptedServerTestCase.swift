import FreshetCore
import FreshetHTTPTesting
import FreshetLoop
import XCTest

/// A test with a loop for a scripted server. It fails if resources are left at its end.
class ScriptedServerTestCase: ResourceTestCase {
    private(set) var loop: Loop!

    override func setUpWithError() throws {
        try super.setUpWithError()
        loop = try Loop(name: "server")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
    }

    static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    /// Runs `body` with a server and a function that connects to it, and checks that both are released afterwards.
    func withServer(
        _ configuration: ScriptedServer.Configuration = .init(),
        _ body: (ScriptedServer, () -> PlainClient) throws -> Void
    ) throws {
        let before = Resources.total
        let server = try ScriptedServer(on: loop, configuration: configuration)
        try body(server) { PlainClient(port: server.port) }
        server.close()
        XCTAssertEqual(server.openConnections, 0)
        XCTAssertLessThanOrEqual(Resources.total - before, 1, "only the server itself is left")
    }
}
