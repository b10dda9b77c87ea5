import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// A server may respond before it has read the body, and then resets the stream without an error. The response counts if it
/// is complete: RFC 9113, section 8.1.
final class HTTP2EarlyResponseTests: TransportTestCase {
    /// A head with a status that is in no table, so that it goes out as text.
    private static func head(_ stream: UInt32, status: Int, length: Int?) -> HTTP2Server.Action {
        var block: [UInt8] = [0x08, 0x03] + Array("\(status)".utf8)
        if let length { block += [0x0F, 0x0D, UInt8("\(length)".utf8.count)] + Array("\(length)".utf8) }
        return .frame(1, flags: 4, stream: stream, block)
    }

    /// The server reads as much of a body as `window` says.
    private func outcomes(
        count: Int = 1, window: UInt32?, bodySize: Int, _ actions: @escaping @Sendable (UInt32) -> [HTTP2Server.Action]
    ) throws -> [Outcome] {
        let server = try HTTP2Server(initialWindow: window) { actions($0.stream) }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        let body = RequestBody.bytes([UInt8](repeating: 7, count: bodySize))
        return try (0..<count).map { _ in
            try outcome(transport, server.url + "/", method: .post, body: body) { $0.idleTimeout = .seconds(5) }
        }
    }

    /// libcurl drops what it has not handed out of a response when it reads the reset. Upstream: curl 8.1.0.
    private static let dropsResponses = CurlVersion.number < 0x08_01_00

    func testACompleteResponseCountsThoughTheStreamIsReset() throws {
        if Self.dropsResponses { return }
        for status in [200, 401] {
            for length in [2, nil] {
                for (window, bodySize): (UInt32?, Int) in [(nil, 5), (10, 1000), (nil, 200_000)] {
                    let outcomes = try outcomes(count: 10, window: window, bodySize: bodySize) { stream in
                        [
                            Self.head(stream, status: status, length: length), .data(stream, "ok", ends: true),
                            .reset(stream, 0),
                        ]
                    }
                    let note = "\(status), \(length.debugDescription), \(bodySize)"
                    XCTAssertEqual(outcomes.compactMap(\.error).map(\.message), [], note)
                    XCTAssertEqual(outcomes.map(\.text), Array(repeating: "ok", count: 10), note)
                    XCTAssertEqual(outcomes.map(\.head?.status.code), Array(repeating: status, count: 10), note)
                }
            }
        }
    }

    func testAResponseWithoutABodyCountsThoughTheStreamIsReset() throws {
        if Self.dropsResponses { return }
        let outcomes = try outcomes(count: 10, window: 10, bodySize: 1000) { stream in
            [.head(stream, length: 0, ends: true), .reset(stream, 0)]
        }
        XCTAssertEqual(outcomes.compactMap(\.error).map(\.message), [])
        XCTAssertTrue(outcomes.allSatisfy(\.isCompleted))
    }

    func testAnIncompleteResponseIsALossThoughTheStreamIsResetWithoutAnError() throws {
        // Without a length a newer libcurl takes the reset without an error for the end of the body.
        for length in Self.dropsResponses ? [5, nil] : [5] {
            let outcomes = try outcomes(window: 10, bodySize: 1000) { stream in
                [Self.head(stream, status: 200, length: length), .data(stream, "ok"), .reset(stream, 0)]
            }
            XCTAssertNotNil(outcomes.first?.error, length.debugDescription)
            XCTAssertEqual(outcomes.first?.isCompleted, false, length.debugDescription)
        }
    }
}
