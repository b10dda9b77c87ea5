import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests a server that responds before it has read the body, and that then resets the stream without an error. The response
/// counts if it is complete: RFC 9113, section 8.1.
final class HTTP2EarlyResponseTests: TransportTestCase {
    /// A head whose status is in no table, so that it is sent as text.
    private static func head(_ stream: UInt32, status: Int, length: Int?) -> HTTP2Server.Action {
        var block: [UInt8] = [0x08, 0x03] + Array("\(status)".utf8)
        if let length { block += [0x0F, 0x0D, UInt8("\(length)".utf8.count)] + Array("\(length)".utf8) }
        return .frame(1, flags: 4, stream: stream, block)
    }

    /// Sends `count` POSTs to a server that reads `window` bytes of a body.
    ///
    /// - Parameter isOnePiece: whether the server sends the whole response in one piece.
    private func outcomes(
        count: Int = 1, window: UInt32?, bodySize: Int, isOnePiece: Bool = true,
        _ actions: @escaping @Sendable (UInt32) -> [HTTP2Server.Action]
    ) throws -> [Outcome] {
        let server = try HTTP2Server(initialWindow: window) { received in
            let actions = actions(received.stream)
            return isOnePiece ? [.raw(actions.flatMap(\.bytes))] : actions
        }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        let body = RequestBody.bytes([UInt8](repeating: 7, count: bodySize))
        return try (0..<count).map { _ in
            try outcome(transport, server.url + "/", method: .post, body: body) { $0.idleTimeout = .seconds(20) }
        }
    }

    /// When libcurl before 8.1 reads the reset, it drops the part of the response that it has not passed on.
    private static let dropsResponses = CurlVersion.number < 0x08_01_00

    /// - Parameter isSent: whether the whole request has been sent when the response arrives.
    private func assertWhole(_ outcomes: [Outcome], _ text: String, isSent: Bool, _ note: String = "") {
        for (number, outcome) in outcomes.enumerated() {
            let note = "\(number), \(note): \(outcome.error.debugDescription)"
            // libcurl may read the first response together with the server's settings, and may send the first request in two
            // pieces.
            let (mayBeLost, mustBeLost) =
                Self.dropsResponses
                ? (!isSent || number == 0 || Quirks.areOff, !isSent && number > 0) : (false, false)
            XCTAssertEqual(outcome.isCompleted, outcome.error == nil, note)
            guard let error = outcome.error else {
                XCTAssertFalse(mustBeLost, note)
                XCTAssertEqual(outcome.text, text, note)
                continue
            }
            XCTAssertTrue(mayBeLost, note)
            XCTAssertEqual(error.code, .connectionLost, note)
            XCTAssertNil(outcome.head, note)
        }
    }

    func testACompleteResponseIsDeliveredAlthoughTheStreamIsReset() throws {
        let cases: [(window: UInt32?, bodySize: Int, isSent: Bool)] = [
            (nil, 5, true), (10, 1000, false), (nil, 200_000, false),
        ]
        // The timing of several pieces decides which of them libcurl drops.
        for isOnePiece in Self.dropsResponses ? [true] : [true, false] {
            for status in [200, 401] {
                for length in [2, nil] {
                    for (window, bodySize, isSent) in cases {
                        let outcomes = try outcomes(
                            count: 10, window: window, bodySize: bodySize, isOnePiece: isOnePiece
                        ) { stream in
                            [
                                Self.head(stream, status: status, length: length), .data(stream, "ok", ends: true),
                                .reset(stream, 0),
                            ]
                        }
                        assertWhole(outcomes, "ok", isSent: isSent, "\(status), \(length ?? -1), \(bodySize)")
                        for outcome in outcomes where outcome.error == nil {
                            XCTAssertEqual(outcome.head?.status.code, status)
                        }
                    }
                }
            }
        }
    }

    func testAResponseWithoutABodyIsDeliveredAlthoughTheStreamIsReset() throws {
        let outcomes = try outcomes(count: 10, window: 10, bodySize: 1000) { stream in
            [.head(stream, length: 0, ends: true), .reset(stream, 0)]
        }
        assertWhole(outcomes, "", isSent: false)
    }

    func testAnIncompleteResponseIsAFailureEvenIfTheStreamIsResetWithNoError() throws {
        // Without a length libcurl may take the reset without an error for the end of the body.
        let outcomes = try outcomes(window: 10, bodySize: 1000) { stream in
            [Self.head(stream, status: 200, length: 5), .data(stream, "ok"), .reset(stream, 0)]
        }
        XCTAssertNotNil(outcomes.first?.error)
        XCTAssertEqual(outcomes.first?.isCompleted, false)
    }
}
