import Foundation
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// A test that sends many requests to a real server that ends connections.
class ServerTestCase: TransportTestCase {
    /// Whether the loaded libcurl loses information about how an HTTP/2 server ends streams; see `RefusedStreams` and
    /// `EarlyResponses`.
    static let isForgetful = CurlVersion.number < 0x08_01_00

    /// The number of requests that run at a time.
    static let concurrency = 50

    func trusting(_ server: ServerProcess) -> CurlTransport {
        transport { $0.tls.caFile = server.caFile }
    }

    /// Sends `count` requests, 50 at a time, and asserts that each gets a status of 200 within 30 s.
    ///
    /// - Parameter lost: how many requests the loaded libcurl may lose. Each of them must fail with an error.
    func assertNoneIsLost(
        _ count: Int, _ method: HTTPRequest.Method, _ url: String, through transport: CurlTransport,
        body: RequestBody = .empty, version: TransferOptions.Version = .automatic, lost: Int = 0,
        file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let losses = losses(of: count, method, url, through: transport, body: body, version: version)
        assert(losses, atMost: lost, of: count, file: file, line: line)
    }

    /// - Parameter codes: the errors that a loss may have.
    func assert(
        _ losses: [String], atMost limit: Int, of count: Int, codes: [HTTPClientError.Code] = [.connectionLost],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        if limit > 0 { print("\(name): \(losses.count) of \(count) were lost, \(limit) may be") }
        XCTAssertLessThanOrEqual(
            losses.count, limit, "of \(count), \(losses.prefix(3).joined(separator: "; "))", file: file, line: line)
        // A libcurl that has dropped a response may wait for it.
        let codes = Self.isForgetful ? codes + [.timeout] : codes
        let others = losses.filter { loss in !codes.contains { loss.contains(" \($0.rawValue): ") } }
        XCTAssertEqual(others, [], "these were not lost", file: file, line: line)
    }

    /// Sends `count` requests, `concurrency` at a time.
    ///
    /// - Returns: the outcomes of the requests without a status of 200.
    func losses(
        of count: Int, _ method: HTTPRequest.Method, _ url: String, through transport: CurlTransport,
        body: RequestBody = .empty, version: TransferOptions.Version = .automatic, concurrency: Int = concurrency
    ) -> [String] {
        Batch.run(on: loop, transport, count: count, concurrency: concurrency) { _ in
            var request = try Request(method, url, body: body)
            var options = TransferOptions()
            options.version = version
            options.totalTimeout = .seconds(30)
            request.transfer = options
            return request
        } check: { number, outcome in
            if outcome.isCompleted, outcome.head?.status.code == 200 { return nil }
            let underlying = outcome.error?.underlying.map { ", \($0)" } ?? ""
            return
                "\(number): \(outcome.error.map { "\($0)" } ?? "no error")\(underlying) \(outcome.head.debugDescription)"
        }
    }
}

/// What the tests need to know of the libcurl that is loaded.
enum LoadedLibcurl {
    static let version = CurlVersion.number
    static let codings = CurlEasy.codings ?? ""
    /// Whether it may remove the frames of chunks before the transfer sees them.
    static let mayRemoveFrames = RemovedChunkFrames.arePossible
}
