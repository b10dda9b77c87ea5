import CFreshetCurl
import Glibc
import XCTest

/// A transfer fails on its own side first if the connection was reset while it sent. The error depends on what the socket tells.
final class SocketEndTests: XCTestCase {
    private var (client, server) = (Int32(-1), Int32(-1))

    override func setUp() {
        let (listener, port) = LoopbackSocket.listening()
        client = socket(AF_INET, streamSocket, 0)
        XCTAssertEqual(LoopbackSocket.withAddress(port: port) { connect(client, $0, $1) }, 0)
        server = accept(listener, nil, nil)
        close(listener)
    }

    override func tearDown() { close(client) }

    private func waitForTheEnd() {
        // POLLRDHUP, which Glibc does not export to Swift.
        var state = pollfd(fd: client, events: 0x2000, revents: 0)
        XCTAssertEqual(poll(&state, 1, 10_000), 1)
    }

    func testAResetIsNoticedBehindUnreadBytes() {
        LoopbackSocket.send("a response", to: server)
        LoopbackSocket.send("a request that nobody reads", to: client)
        XCTAssertEqual(freshet_is_reset(client), 0)
        close(server)
        waitForTheEnd()
        XCTAssertEqual(freshet_is_reset(client), 1)
        XCTAssertEqual(freshet_has_ended(client), 0, "there are bytes left to read")
    }

    func testAResetIsLeftToTheOneThatReads() {
        LoopbackSocket.send("a request that nobody reads", to: client)
        XCTAssertEqual(freshet_is_silent(client), 1)
        XCTAssertEqual(freshet_has_ended(client), 0)
        close(server)
        waitForTheEnd()
        XCTAssertEqual(freshet_is_silent(client), 0)
        XCTAssertEqual(freshet_has_ended(client), 1)
        var bytes = [UInt8](repeating: 0, count: 64)
        XCTAssertEqual(freshet_take(client, &bytes, bytes.count), -1)
        XCTAssertEqual(errno, ECONNRESET)
    }

    func testAnEndThatTheServerChoseIsNoReset() {
        LoopbackSocket.send("a response", to: server)
        close(server)
        waitForTheEnd()
        XCTAssertEqual(freshet_is_reset(client), 0)
        XCTAssertEqual(freshet_has_ended(client), 0)
        var bytes = [UInt8](repeating: 0, count: 64)
        XCTAssertEqual(freshet_take(client, &bytes, bytes.count), 10)
        XCTAssertEqual(freshet_has_ended(client), 1)
    }
}
