import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests how much waits between a body's source and a server that reads slowly.
final class TransportUploadPressureTests: TransportTestCase {
    func testASlowServerPausesTheSource() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.readPace = .limited(bytes: 256 * 1024, pause: .milliseconds(1))
        configuration.maximumBodySize = 256 << 20
        let server = try ScriptedServer(on: loop, configuration: configuration)
        defer { server.close() }
        server.route { ScriptedResponse(body: "\($0.body.count)") }
        let size = 200 << 20
        let piece = [UInt8](repeating: 7, count: 32 * 1024)
        let produced = Locked(0)
        let source = Observable<Int>.range(start: 0, count: size / piece.count).map { _ in
            produced.withLock { $0 += piece.count }
            return piece
        }
        let most = Locked(0)
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let request = try Request(.post, server.url, body: .stream(source))
        let subscription = transport().parts(request).subscribe { event in
            outcome.withLock { $0.record(event) }
            if case .next(.sent(let bytes, _)) = event {
                let waiting = produced.withLock { $0 } - bytes
                most.withLock { $0 = max($0, waiting) }
            }
            if event.isStopEvent { done.signal() }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 60), .success)
        subscription.dispose()
        XCTAssertEqual(outcome.withLock { $0.text }, "\(size)")
        XCTAssertLessThanOrEqual(most.withLock { $0 }, 320 * 1024)
        XCTAssertGreaterThan(most.withLock { $0 }, 64 * 1024, "or nothing waited, and nothing was tried")
    }
}
