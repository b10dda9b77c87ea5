import Foundation
import FreshetCore
import FreshetHTTPTesting
import XCTest

/// Tests responses that come late, piece by piece, or as fast as the client reads them.
final class ScriptedServerPacingTests: ScriptedServerTestCase {
    func testDelaysElapseBeforeTheHeadAndBetweenPieces() throws {
        try withServer { server, connect in
            server.enqueue(
                ScriptedResponse().chunked(["a", "b", "c"]).pausing(.milliseconds(20)).after(.milliseconds(30)))
            let client = connect()
            let clock = ContinuousClock()
            let start = clock.now
            client.send(Self.get)
            _ = client.read(upTo: "1\r\na\r\n")
            XCTAssertGreaterThanOrEqual(clock.now - start, .milliseconds(30))
            _ = client.read(upTo: "0\r\n\r\n")
            XCTAssertGreaterThanOrEqual(clock.now - start, .milliseconds(70))
        }
    }

    func testABodyIsHeldUntilItIsReleasedFromAnyThread() throws {
        try withServer { server, connect in
            let barrier = Barrier()
            server.enqueue(ScriptedResponse(body: "abcdef").pausing(after: 2, until: barrier))
            let client = connect()
            client.send(Self.get)
            XCTAssertTrue(client.read(upTo: "\r\n\r\nab").hasSuffix("ab"))
            XCTAssertEqual(client.received, [])
            barrier.release()
            XCTAssertEqual(client.read(upTo: "f"), "cdef")
        }
    }

    func testAThrottleKeepsForTheNextResponseWhatOneDoesNotUse() throws {
        try withServer { server, connect in
            let throttle = Throttle()
            server.route { _ in ScriptedResponse(body: "slow").throttled(by: throttle) }
            throttle.allow(10_000)
            for _ in 0..<2 {
                let client = connect()
                client.send(Self.get)
                XCTAssertTrue(client.read(upTo: "slow").hasSuffix("slow"))
            }
        }
    }

    func testAThrottleHoldsAResponseAlsoWhenTheNextRequestIsThere() throws {
        try withServer { server, connect in
            let throttle = Throttle()
            server.enqueue(ScriptedResponse(body: "slow").throttled(by: throttle), ScriptedResponse(body: "next"))
            let client = connect()
            client.send(Self.get + Self.get)
            throttle.allow(8)
            XCTAssertEqual(client.read(upTo: "HTTP/1.1"), "HTTP/1.1")
            XCTAssertEqual(server.requestCount, 1)
            throttle.open()
            XCTAssertTrue(client.read(upTo: "next").contains("\r\n\r\nslowHTTP/1.1 200 OK"))
        }
    }

    func testAResponseCanBeCompletedOnAnotherThread() throws {
        try withServer { server, connect in
            server.route { request in
                .deferred { complete in
                    let thread = Thread { complete(ScriptedResponse(body: "later \(request.path)")) }
                    thread.start()
                }
            }
            server.route { _ in .deferred(.error(POSIXError(.EIO))) }
            let client = connect()
            client.send(Self.get)
            XCTAssertTrue(client.read(upTo: "later /").hasSuffix("later /"))
        }
    }

    func testAStreamIsPausedWhileTheClientDoesNotReadAndDisposedWhenItDisconnects() throws {
        try withServer { server, connect in
            let source = PausableSource()
            server.enqueue(.streaming(source.pieces))
            var client: PlainClient? = PlainClient(port: server.port, receiveBuffer: 4096)
            client?.send(Self.get)
            _ = client?.read(upTo: "\r\n\r\n")
            let paused = expectation(description: "paused")
            source.onPause { paused.fulfill() }
            for _ in 0..<200 { source.send([UInt8](repeating: 97, count: 65536)) }
            wait(for: [paused], timeout: 30)
            let stopped = expectation(description: "stopped")
            source.onStop { stopped.fulfill() }
            client = nil
            wait(for: [stopped], timeout: 30)
            XCTAssertEqual(server.abandoned.count, 1)
        }
    }
}

/// A stream that reports when it is paused.
private final class PausableSource: Sendable {
    private struct State {
        var observer: AnyObserver<[UInt8]>?
        var onPause: (@Sendable () -> Void)?
        var onStop: (@Sendable () -> Void)?
    }

    private struct Subscription: Pausable {
        let source: PausableSource

        func dispose() {
            source.state.withLock { state in
                state.observer = nil
                defer { state.onStop = nil }
                return state.onStop
            }?()
        }

        func pause() {
            source.state.withLock { state in
                defer { state.onPause = nil }
                return state.onPause
            }?()
        }

        func resume() {}
    }

    private let state = Locked(State())

    var pieces: Observable<[UInt8]> {
        .create { observer in
            self.state.withLock { $0.observer = observer }
            return Subscription(source: self)
        }
    }

    func onPause(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onPause = action } }
    func onStop(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onStop = action } }
    func send(_ bytes: [UInt8]) { state.withLock { $0.observer }?.onNext(bytes) }
}
