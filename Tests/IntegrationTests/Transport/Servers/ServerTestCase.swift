import Foundation
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// A test of many requests to a real server that ends connections.
class ServerTestCase: TransportTestCase {
    /// libcurl loses some of how an HTTP/2 server ends streams; see `RefusedStreams` and `EarlyResponses`.
    static let isForgetful = CurlVersion.number < 0x08_01_00

    func trusting(_ server: ServerProcess) -> CurlTransport {
        transport { $0.tls.caFile = server.caFile }
    }

    /// Sends `count` requests, 50 at a time, each of which must have a status of 200 within 20 s.
    ///
    /// - Parameter lost: how many of them the loaded libcurl may lose; each by an error of its own.
    func assertNoneIsLost(
        _ count: Int, _ method: HTTPRequest.Method, _ url: String, through transport: CurlTransport,
        body: RequestBody = .empty, version: TransferOptions.Version = .automatic, lost: Int = 0,
        file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let complaints = Batch.run(on: loop, transport, count: count, concurrency: 50) { _ in
            var request = try Request(method, url, body: body)
            var options = TransferOptions()
            options.version = version
            options.totalTimeout = .seconds(20)
            request.transfer = options
            return request
        } check: { number, outcome in
            outcome.isCompleted && outcome.head?.status.code == 200
                ? nil : "\(number): \(outcome.error.debugDescription) \(outcome.head.debugDescription)"
        }
        XCTAssertLessThanOrEqual(
            complaints.count, lost, "of \(count), \(complaints.prefix(3).joined(separator: "; "))", file: file,
            line: line)
    }
}
