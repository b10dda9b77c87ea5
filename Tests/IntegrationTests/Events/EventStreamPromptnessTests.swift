import Foundation
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests that an event of any size and coding is delivered as soon as its bytes have arrived, until the stream ends.
final class EventStreamPromptnessTests: EventStreamTestCase {
    private let texts = (0..<4).map { "data: event \($0)\n\n" }

    /// Sends the pieces one by one. It sends each piece only after the event of the previous piece was seen.
    private func check(_ coding: String?, _ pieces: [[UInt8]]) throws {
        let feed = PublishSubject<[UInt8]>()
        var headers: HTTPFields = [.contentType: "text/event-stream"]
        if let coding { headers[.contentEncoding] = coding }
        server.enqueue(.streaming(feed.asObservable(), headers: headers), .noMore)
        let stream = try follow()
        stream.wait(until: "it is open") { $0.openings == 1 }
        // The pieces before the first event and after the last one have no event of their own.
        let (lead, rest) = pieces.count > texts.count + 1 ? ([pieces[0]], pieces.dropFirst()) : ([], pieces[...])
        let send: ([UInt8]) -> Void = { [loop] bytes in loop!.execute { feed.onNext(bytes) } }
        for piece in lead { send(piece) }
        for (number, piece) in rest.prefix(texts.count).enumerated() {
            send(piece)
            stream.wait(until: "event \(number) of \(coding ?? "none")") { $0.data.count == number + 1 }
        }
        for piece in rest.dropFirst(texts.count) { send(piece) }
        loop.execute { feed.onCompleted() }
        let log = stream.end()
        XCTAssertNil(log.error)
        XCTAssertEqual(log.data, (0..<4).map { "event \($0)" })
        XCTAssertEqual(log.troubles.map(\.code), [])
    }

    func testASilentStreamHasTCPKeepalive() throws {
        let feed = PublishSubject<[UInt8]>()
        server.enqueue(.streaming(feed.asObservable(), headers: [.contentType: "text/event-stream"]), .noMore)
        let stream = try follow()
        stream.wait(until: "it is open") { $0.openings == 1 }
        let port = try XCTUnwrap(URL(string: server.url)?.port)
        let table = try XCTUnwrap(FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd())
        let timers = String(decoding: table, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0[2].hasSuffix(String(format: ":%04X", port)) && $0[3] == "01" }.map { $0[5].prefix(2) }
        XCTAssertEqual(timers, ["02"], "the kernel's timer of keepalive")
        loop.execute { feed.onCompleted() }
        XCTAssertNil(stream.end().error)
    }

    func testEachFlushedEventOfACompressedStreamIsDeliveredAtOnce() throws {
        let pieces = texts.map { Array($0.utf8) }
        try check(nil, pieces)
        try check("gzip", EncodedPieces.gzip(pieces))
        try check("gzip", EncodedPieces.zlib)
        try check("br", EncodedPieces.brotli(pieces))
        try check("zstd", EncodedPieces.zstd(pieces))
        XCTAssertEqual(server.requests[0].headers[.acceptEncoding], "gzip, deflate, br, zstd")
    }

    private func whole(_ pieces: [String]) -> ScriptedResponse {
        .streaming(.from(pieces.map { Array($0.utf8) }), headers: [.contentType: "text/event-stream"])
    }

    func testALineOfTenMebibytesIsDelivered() throws {
        let mebibyte = String(repeating: "x", count: 1 << 20)
        server.enqueue(whole(["data: "] + Array(repeating: mebibyte, count: 10) + ["\n\n"]), .noMore)
        let log = try follow().end()
        XCTAssertNil(log.error)
        XCTAssertEqual(log.events.count, 1)
        XCTAssertEqual(log.events.first?.data.utf8.count, 10 << 20)
    }

    func testAMillionLinesAreDelivered() throws {
        let lines = String(repeating: "data: 12345\n", count: 1000)
        server.enqueue(whole(Array(repeating: lines, count: 1000) + ["\n"]), .noMore)
        let log = try follow().end()
        XCTAssertNil(log.error)
        XCTAssertEqual(log.events.count, 1)
        XCTAssertEqual(log.events.first?.data.utf8.count, 5_999_999)
        XCTAssertEqual(log.events.first?.data.utf8.filter { $0 == 10 }.count, 999_999)
    }
}
