import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests that a server learns at once of the end of a connection, although it can send nothing more.
///
/// The client's system has told such a server that there is no room for more bytes. The server then notices a reset, but no
/// end of the connection that only says that the client sends no more.
final class TransportResetTests: TransportTestCase {
    private let server = HandServer()

    func testTheServerOfACancelledChunkedResponseIsReset() throws {
        try checkReset("Transfer-Encoding: chunked\r\n\r\n5\r\n10000\r\n")
    }

    func testTheServerOfAChunkedResponseThatIsCancelledInACallOfLibcurlIsReset() throws {
        let chunk = String(repeating: "x", count: 2048)
        try checkReset("Transfer-Encoding: chunked\r\n\r\n800\r\n\(chunk)\r\n")
    }

    func testTheServerOfACancelledResponseWithALengthIsReset() throws {
        try checkReset("Content-Length: 1000000000\r\n\r\n10000")
    }

    func testAServerThatSendsMoreThanItHasAnnouncedIsReset() throws {
        try checkReset("Content-Length: 5\r\n\r\n10000", cancels: false)
    }

    /// Lets the server send as much as the system takes while the loop delivers the first bytes of the body.
    private func checkReset(_ response: String, cancels: Bool = true) throws {
        let (delivered, full) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isReset = Locked(false)
        let ended = expectation(description: "the server has ended")
        let received = expectation(description: "received")
        Thread.detachNewThread { [server] in
            defer { ended.fulfill() }
            guard let connection = server.accept(), connection.read() != nil else { return XCTFail("no request") }
            connection.write("HTTP/1.1 200 OK\r\n" + response)
            delivered.wait()
            connection.fill()
            full.signal()
            isReset.withLock { $0 = connection.waitForReset() }
        }
        let transport = transport()
        let request = try Request(.get, server.url)
        let subscription = SerialDisposable()
        loop.execute {
            subscription.disposable = transport.parts(request).subscribe { event in
                if case .completed = event { received.fulfill() }
                guard case .next(.body) = event else { return }
                delivered.signal()
                full.wait()
                guard cancels else { return }
                subscription.dispose()
                received.fulfill()
            }
        }
        wait(for: [received], timeout: 30)
        transport.shutdown()
        wait(for: [ended], timeout: 30)
        XCTAssertTrue(isReset.withLock { $0 }, "the server waits for room")
    }
}
