import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

final class TransportPauseTests: TransportTestCase {
    private static func send(_ text: String, on connection: Int32) {
        XCTAssertEqual(write(connection, text, text.utf8.count), text.utf8.count)
    }

    /// Waits until the loop has looked at its sockets.
    private func letTheLoopTurn() {
        for _ in 0..<2 {
            let turned = expectation(description: "turned")
            let timer = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(5)) {
                turned.fulfill()
                return Disposables.create()
            }
            wait(for: [turned], timeout: 20)
            timer.dispose()
        }
    }

    /// Connections of a Unix socket have no ports by which they could be told apart.
    func testTheEndOfAPausedTransferLeavesAnotherOneOfAUnixSocketAlone() throws {
        let size = 150_000
        let listener = try UnixListener(
            answering: "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n\(String(repeating: "a", count: size))")
        defer { listener.close() }
        let transport = transport { $0.addresses.unixSocket = listener.path }
        let outcomes = (0..<2).map { _ in Locked(Outcome()) }
        let ended = outcomes.map { _ in expectation(description: "ended") }
        let subscriptions = try zip(outcomes, ended).map { outcome, ended in
            let subscription = SerialDisposable()
            let held = expectation(description: "held")
            let parts = transport.parts(try Request(.get, "http://docker/"))
            loop.execute {
                subscription.disposable = parts.subscribe { event in
                    outcome.withLock { $0.record(event) }
                    if event.isStopEvent { ended.fulfill() }
                    guard case .next(.head) = event else { return }
                    subscription.pause()
                    held.fulfill()
                }
            }
            wait(for: [held], timeout: 20)
            return subscription
        }
        letTheLoopTurn()
        for (number, subscription) in subscriptions.enumerated() {
            subscription.resume()
            wait(for: [ended[number]], timeout: 20)
            letTheLoopTurn()
            XCTAssertNil(outcomes[number].withLock { $0.error })
            XCTAssertEqual(outcomes[number].withLock { $0.text.utf8.count }, size)
        }
    }

    func testAResetDuringAPauseLosesAResponseThatEndsWithItsConnection() throws {
        let listener = try SilentListener()
        defer { listener.close() }
        let outcome = Locked(Outcome())
        let held = expectation(description: "held")
        let ended = expectation(description: "ended")
        let subscription = SerialDisposable()
        let parts = transport().parts(try Request(.get, "http://127.0.0.1:\(listener.port)/"))
        loop.execute {
            subscription.disposable = parts.subscribe { event in
                outcome.withLock { $0.record(event) }
                switch event {
                case .next(.head):
                    subscription.pause()
                    held.fulfill()
                case .completed, .error: ended.fulfill()
                default: break
                }
            }
        }
        let connection = listener.connection()
        Self.send("HTTP/1.1 200 OK\r\n\r\n12345", on: connection)
        wait(for: [held], timeout: 20)
        letTheLoopTurn()
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        close(connection)
        letTheLoopTurn()
        subscription.resume()
        wait(for: [ended], timeout: 20)
        XCTAssertEqual(outcome.withLock { $0.text }, "12345")
        XCTAssertEqual(outcome.withLock { $0.error?.code }, .connectionLost)
    }

    /// The client reads the response at once, before libcurl has asked to be notified of input.
    func testAnImmediateResponseOnAKeptConnectionCanBePaused() throws {
        let listener = try SilentListener()
        defer { listener.close() }
        let transport = transport()
        let request = try Request(.get, "http://127.0.0.1:\(listener.port)/")
        let first = expectation(description: "first")
        let firstResponse = transport.parts(request).subscribe(onCompleted: { first.fulfill() })
        let connection = listener.connection()
        defer { close(connection) }
        Self.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", on: connection)
        wait(for: [first], timeout: 20)
        firstResponse.dispose()

        let outcome = Locked(Outcome())
        let held = expectation(description: "held")
        let ended = expectation(description: "ended")
        let subscription = SerialDisposable()
        loop.execute {
            subscription.disposable = transport.parts(request).subscribe { event in
                outcome.withLock { $0.record(event) }
                switch event {
                case .next(.phase(.connected(_, let isReused))):
                    XCTAssertTrue(isReused)
                    Self.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", on: connection)
                case .next(.head):
                    subscription.pause()
                    held.fulfill()
                case .completed, .error: ended.fulfill()
                default: break
                }
            }
        }
        wait(for: [held], timeout: 20)
        Self.send("67890", on: connection)
        letTheLoopTurn()
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 0, queued: 0, running: 1))
        subscription.resume()
        wait(for: [ended], timeout: 20)
        subscription.dispose()
        XCTAssertNil(outcome.withLock { $0.error })
        XCTAssertEqual(outcome.withLock { $0.text }, "1234567890")
    }
}
