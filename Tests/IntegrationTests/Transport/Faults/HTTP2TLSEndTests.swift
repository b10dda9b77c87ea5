import Foundation
import FreshetCurl
import FreshetHTTP
import XCTest

/// Tests HTTP/2 servers that end TLS before they have responded.
final class HTTP2TLSEndTests: TransportTestCase {
    private static let started = Result { try PythonServer("http2_end.py") }

    override class func setUp() {
        super.setUp()
        // The server's descriptors stay open until the end of the test run.
        _ = started
    }

    func testAConnectionWhoseTLSEndsBeforeTheResponseIsLost() throws {
        let url = try Self.started.get().url.replacingOccurrences(of: "http:", with: "https:") + "/"
        let transport = transport { $0.tls.verification = .insecureAcceptAnyServer }
        // The TCP connection stays open, so only the close_notify tells the end from invalid HTTP/2. Older versions of
        // libcurl report the end themselves: with them the test passes even if nothing reads the close_notify.
        for ending in ["at once", "after a GOAWAY", "after the head"] {
            let outcome = try outcome(transport, url) { $0.idleTimeout = .seconds(5) }
            XCTAssertEqual(outcome.error?.code, .connectionLost, ending)
            XCTAssertEqual(outcome.error?.phase, outcome.head == nil ? .waiting : .receiving, ending)
        }
    }
}
