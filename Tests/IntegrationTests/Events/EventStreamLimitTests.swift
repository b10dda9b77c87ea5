import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests which limits apply to a stream, and which do not.
final class EventStreamLimitTests: EventStreamTestCase {
    private func client(_ configure: (inout TransferOptions) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configure(&configuration.transfer)
        return HTTPClient(transport: transport(), scheduler: LoopScheduler(loop), configuration: configuration)
    }

    func testAnEventOverTheLimitIsAnErrorBeforeItIsComplete() throws {
        settings.maximumEventSize = 1 << 20
        let piece = [UInt8](repeating: 0x78, count: 1 << 16)
        let lines = Array(String(repeating: "data: 1234\n", count: 1000).utf8)
        for piece in [piece, lines] {
            server.enqueue(.repeating(piece, times: .max, headers: [.contentType: "text/event-stream"]))
            let log = try follow().end()
            XCTAssertEqual(log.error?.code, .tooLarge)
            XCTAssertEqual(log.error?.origin, server.url)
            XCTAssertEqual(log.events.count, 0)
        }
        XCTAssertEqual(server.requestCount, 2, "nothing is asked again")
    }

    func testTheBodyLimitsOfTheClientDoNotApplyToAStream() throws {
        let client = client {
            $0.totalTimeout = .milliseconds(150)
            $0.maximumBodySize = 20
        }
        server.enqueue(.events("data: a\n\n", "data: b\n\n", "data: c\n\n").pausing(.milliseconds(100)), .noMore)
        let log = try follow(by: client).end()
        XCTAssertNil(log.error)
        XCTAssertEqual(log.data, ["a", "b", "c"])
        XCTAssertEqual(log.openings, 1)
        XCTAssertEqual(log.troubles.map(\.code), [])
    }

    func testTheBodyLimitsOfTheRequestApplyToAStream() throws {
        var request = try Request(.get, server.url)
        request.transfer = TransferOptions()
        request.transfer?.maximumBodySize = 20
        server.enqueue(.events("data: a\n\n", "data: b\n\n", "data: c\n\n"))
        let log = try follow(request).end()
        XCTAssertEqual(log.data, ["a", "b"])
        XCTAssertEqual(log.error?.code, .tooLarge)
    }

    func testTheDecodingRatioOfTheClientDoesNotApplyToAStream() throws {
        let empty = Encoded.zstdBomb(blocks: 64, of: UInt8(ascii: "\n"))
        server.enqueue(
            ScriptedResponse(
                headers: [.contentType: "text/event-stream", .contentEncoding: "zstd"], pieces: [empty]),
            .noMore)
        let log = try follow().end()
        XCTAssertNil(log.error)
        XCTAssertEqual(log.openings, 1)
        XCTAssertEqual(log.troubles.map(\.code), [])
    }

    func testATruncatedCompressedStreamIsALostConnection() throws {
        let pieces = ["id: 1\ndata: a\n\n", "id: 2\ndata: b\n\n"].map { Array($0.utf8) }
        for (coding, whole) in [
            ("gzip", EncodedPieces.gzip(pieces)), ("br", EncodedPieces.brotli(pieces)),
            ("zstd", EncodedPieces.zstd(pieces)),
        ] {
            let cut = ScriptedResponse(
                headers: [.contentType: "text/event-stream", .contentEncoding: coding], pieces: Array(whole.dropLast())
            ).chunked()
            server.enqueue(cut, cut.untilClose(), .noMore)
            let log = try follow().end()
            XCTAssertNil(log.error, coding)
            XCTAssertEqual(log.data, ["a", "b", "a", "b"], coding)
            XCTAssertEqual(lastEventIDs.suffix(3), [nil, "2", "2"], coding)
        }
    }
}
