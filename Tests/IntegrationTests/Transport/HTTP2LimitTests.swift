import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests the limits of the pool for an origin that speaks HTTP/2.
final class HTTP2LimitTests: TransportTestCase {
    func testRequestsThatWaitBeginOnceTheirOriginTurnsOutToSpeakHTTP2() throws {
        // The server responds once all three requests are in progress.
        let server = try HTTP2Server { request in
            guard request.number == 3 else { return [] }
            return [1, 3, 5].flatMap { [.head($0, length: 2), .data($0, "ok", ends: true)] }
        }
        defer { server.stop() }
        let transport = transport {
            $0.tls.caFile = server.caFile
            $0.pool.maximumConnectionsPerOrigin = 1
        }
        let url = server.url
        let failures = Batch.run(on: loop, transport, count: 3, concurrency: 3) { number in
            var request = try Request(.get, "\(url)/\(number)")
            request.transfer = TransferOptions()
            request.transfer?.idleTimeout = .seconds(5)
            return request
        } check: { _, outcome in
            outcome.text == "ok" ? nil : "\(outcome.error.debugDescription)"
        }
        XCTAssertEqual(failures, [])
        XCTAssertEqual(server.connectionCount, 1)
    }
}
