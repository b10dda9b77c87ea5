import Dispatch
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests streams whose server sends faster than the observer receives.
final class BusyEventStreamTests: EventStreamTestCase {
    /// Does as much work as a receiver that is slower than the network.
    @Sendable
    private static func work() -> Int { (0..<500).reduce(0) { $0 ^ $1.hashValue } }

    /// A server on a loop of its own, so that it sends while the client is busy.
    private func busyServer() throws -> (ScriptedServer, Loop) {
        let loop = try Loop()
        let server = try ScriptedServer(on: loop)
        let piece = Array(String(repeating: "data: xxxxxxxx\n\n", count: 500).utf8)
        server.route { _ in .repeating(piece, times: .max, headers: [.contentType: "text/event-stream"]) }
        return (server, loop)
    }

    func testATaskThatFallsBehindHoldsTheServerBack() async throws {
        let (server, other) = try busyServer()
        var count = 0
        for try await event in EventSource(try Request(.get, server.url), by: client()).asObservable().values {
            _ = Self.work()
            XCTAssertEqual(event.data, "xxxxxxxx")
            count += 1
            if count == 5000 { break }
        }
        // 80,000 bytes were received. The rest is in the buffers of the sockets.
        XCTAssertLessThan(server.sentBytes, 100 << 20)
        server.close()
        other.shutdown()
    }

    func testThePausesOfAnotherThreadReturnWhileTheServerSends() throws {
        let (server, other) = try busyServer()
        let news = DispatchSemaphore(value: 0)
        let subscription = EventSource(try Request(.get, server.url), by: client()).asObservable()
            .subscribe(onNext: { _ in
                _ = Self.work()
                news.signal()
            })
        for _ in 0..<2000 {
            XCTAssertEqual(news.wait(timeout: .now() + 20), .success)
            (subscription as? any Pausable)?.pause()
            (subscription as? any Pausable)?.resume()
        }
        subscription.dispose()
        XCTAssertLessThan(server.sentBytes, 100 << 20)
        server.close()
        other.shutdown()
    }
}
