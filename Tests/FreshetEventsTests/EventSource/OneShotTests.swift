import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests requests that may be sent only once.
final class OneShotTests: EventSourceTestCase {
    private func runRequest() throws -> [String] {
        var request = try Request(.post, "http://a/", body: .text("q"))
        request.isOneShot = true
        return try bench.run(request)
    }

    func testAOneShotRequestIsNotSentAgainAfterItsResponse() throws {
        bench.transport.enqueue(.events("id: 1\ndata: a\n\n"), .endless())
        XCTAssertEqual(try runRequest().suffix(3), ["0 1:a", "0 closed", "0 completed"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAOneShotRequestIsNotSentAgainAfterAFailureThatMayHaveReachedTheServer() throws {
        bench.transport.enqueue(.reset, .endless())
        XCTAssertEqual(try runRequest().suffix(2), ["0 closed", "0 error connection_lost"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testAnUnsentOneShotRequestIsRetried() throws {
        bench.transport.enqueue(.failure(.connect, in: .connecting, isUnsent: true), .events("data: a\n\n"))
        XCTAssertEqual(try runRequest().suffix(3), ["3000 a", "3000 closed", "3000 completed"])
        XCTAssertEqual(bench.transport.requestCount, 2)
    }
}
