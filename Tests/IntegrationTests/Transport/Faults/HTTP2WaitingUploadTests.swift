import Foundation
import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests uploads that wait until an HTTP/2 server opens its window.
final class HTTP2WaitingUploadTests: TransportTestCase {
    func testTheLoopSleepsWhileAnUploadWaitsForAWindow() throws {
        let opens = DispatchSemaphore(value: 0)
        let body = [UInt8](repeating: 7, count: 300_000)
        let server = try HTTP2Server(initialWindow: 1000) { received in
            let more = [received.stream, 0].map {
                HTTP2Server.Action.frame(8, stream: $0, HTTP2Server.Action.bytes(300_000))
            }
            return [.wait(opens)] + more + [.head(received.stream), .data(received.stream, "well", ends: true)]
        }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        var request = try Request(.post, server.url + "/")
        request.body = .bytes(body)
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = transport.parts(request).subscribe { event in
            outcome.withLock { $0.record(event) }
            if event.isStopEvent { done.signal() }
        }
        defer { subscription.dispose() }
        waitUntil("the request has come") { server.requestCount == 1 }
        // libcurl 7.88 asks to write all the time, and only a workaround prevents that the loop turns thousands of times.
        if !Quirks.areOff { XCTAssertLessThan(turns(of: loop), 200) }
        opens.signal()
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success, "the upload does not go on")
        XCTAssertEqual(outcome.withLock { $0.text }, "well")
    }

    func testTheLoopSleepsAfterAnUploadWasCancelledThatWaitedForTheSocket() throws {
        let reads = DispatchSemaphore(value: 0)
        let server = try HTTP2Server(initialWindow: 0x7FFF_FFFF) { _ in
            [.frame(8, stream: 0, HTTP2Server.Action.bytes(0x7FFE_0000)), .wait(reads)]
        }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        let body = RequestBody.bytes([UInt8](repeating: 7, count: 64 << 20))
        let sent = Locked(0)
        let subscription = transport.parts(try Request(.post, server.url + "/", body: body)).subscribe { event in
            if case .next(.sent(let count, _)) = event { sent.withLock { $0 = count } }
        }
        waitUntil("the request has come") { server.requestCount == 1 }
        var before = 0
        repeat {
            before = sent.withLock { $0 }
            _ = turns(of: loop)
        } while before != sent.withLock { $0 }
        XCTAssertGreaterThan(before, 0)
        subscription.dispose()
        _ = loop.executeAndWait {}
        reads.signal()
        _ = turns(of: loop)
        XCTAssertLessThan(turns(of: loop), 200)
    }

    func testTheLoopSleepsWhileAnUploadWaitsForItsSource() throws {
        let server = try HTTP2Server { received in [.head(received.stream)] }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        let body = RequestBody.stream(Observable.just([1, 2, 3]).concat(Observable.never()))
        let sent = Locked(0)
        let parts = transport.parts(try Request(.post, server.url + "/", body: body))
        let subscription = parts.subscribe { event in
            if case .next(.sent(let count, _)) = event { sent.withLock { $0 = count } }
        }
        waitUntil("the piece is sent") { sent.withLock { $0 } == 3 }
        XCTAssertLessThan(turns(of: loop), 200)
        subscription.dispose()
        _ = turns(of: loop)
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 1))
        XCTAssertLessThan(turns(of: loop), 200, "after the cancellation")
    }

    func testAConnectionWhoseHeldTransferWasCancelledIsIdle() throws {
        let server = try HTTP2Server { received in
            [.head(received.stream)]
                + (0..<8).map { _ in .data(received.stream, String(repeating: "x", count: 16_000)) }
        }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        let held = DispatchSemaphore(value: 0)
        let subscription = SerialDisposable()
        let parts = transport.parts(try Request(.get, server.url + "/"))
        loop.execute {
            subscription.disposable = parts.subscribe { event in
                guard case .next(.head) = event else { return }
                subscription.pause()
                held.signal()
            }
        }
        XCTAssertEqual(held.wait(timeout: .now() + 30), .success)
        XCTAssertLessThan(turns(of: loop), 200, "the loop does not sleep while the response is held")
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 0, running: 1))
        subscription.dispose()
        _ = turns(of: loop)
        XCTAssertEqual(transport.gauges, ConnectionPoolStatistics(open: 1, idle: 1))
    }
}
