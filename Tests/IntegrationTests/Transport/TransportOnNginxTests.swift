import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

final class TransportOnNginxTests: TransportTestCase {
    private nonisolated(unsafe) static var started: Result<Nginx, any Error>?

    private func nginx() throws -> Nginx {
        if Self.started == nil { Self.started = Result { try Nginx() } }
        return try Self.started!.get()
    }

    override class func tearDown() {
        started = nil
        super.tearDown()
    }

    func testAGetOverPlainHTTP() throws {
        let nginx = try nginx()
        let outcome = try outcome(transport(), "\(nginx.plain)/echo/1?q=2")
        XCTAssertNil(outcome.error)
        XCTAssertTrue(outcome.isCompleted)
        XCTAssertEqual(outcome.head?.status.code, 200)
        XCTAssertEqual(outcome.head?.status.reasonPhrase, "OK")
        XCTAssertEqual(outcome.head?.headerFields[.contentType], "text/plain")
        XCTAssertEqual(outcome.text, "GET /echo/1?q=2")
        XCTAssertEqual(outcome.phases.count, 4)
        XCTAssertEqual(
            outcome.phases.prefix(3),
            [
                .admitted, .resolved(host: "127.0.0.1"),
                .connected(address: "127.0.0.1:\(nginx.plainPort)", reused: false),
            ])
    }
}
