import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests servers that respond before they have read the whole body, and that then reset the connection.
final class UploadResponseTests: TransportTestCase {
    private static let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 8192)

    /// Sends `pieces` to a server that sends `response` after it has read the head of the request.
    private func upload(_ pieces: Observable<[UInt8]>, answeredBy response: String) throws -> Outcome {
        let (server, transport) = (HandServer(), transport())
        let thread = Thread {
            let connection = server.accept()
            connection?.read()
            connection?.read(to: String(repeating: "x", count: 50))
            connection?.write(response)
        }
        thread.start()
        defer { transport.shutdown() }
        return try outcome(transport, server.url, method: .post, body: .stream(pieces)) { $0.idleTimeout = .seconds(5) }
    }

    /// Uploads fifty times, and checks the outcomes but for at most three losses: on a busy machine the client misses one
    /// response in some thousands.
    private func uploadOften(
        _ pieces: Observable<[UInt8]>, answeredBy response: String, check: (Outcome) -> Void
    ) throws {
        var losses: [String] = []
        for _ in 0..<50 {
            let outcome = try upload(pieces, answeredBy: response)
            if let error = outcome.error, error.code == .connectionLost {
                losses.append("\(error), \(error.underlying.debugDescription)")
                continue
            }
            XCTAssertNil(outcome.error)
            check(outcome)
        }
        if !losses.isEmpty { print("\(name): \(losses)") }
        XCTAssertLessThanOrEqual(losses.count, 3, "\(losses)")
    }

    func testAResponseDuringAnUploadIsDelivered() throws {
        let always = Observable.from(Array(repeating: Self.piece, count: 2000))
        let nowAndThen = Observable<Int>.interval(.microseconds(100), scheduler: LoopScheduler(loop))
            .map { _ in Self.piece }
        let head = "HTTP/1.1 413 Too Large\r\n"
        for response in [
            head + "Content-Length: 8\r\n\r\ntoo much",
            "HTTP/1.1 100 Continue\r\n\r\n" + head + "Transfer-Encoding: chunked\r\n\r\n8\r\ntoo much\r\n0\r\n\r\n",
        ] {
            for pieces in [always, nowAndThen] {
                try uploadOften(pieces, answeredBy: response) { outcome in
                    XCTAssertEqual(outcome.head?.status, .contentTooLarge)
                    XCTAssertEqual(outcome.text, "too much")
                }
            }
        }
    }

    func testAResponseWithoutABodyIsCompleteWithItsHead() throws {
        let always = Observable.from(Array(repeating: Self.piece, count: 2000))
        try uploadOften(always, answeredBy: "HTTP/1.1 304 Not Modified\r\nContent-Length: 8\r\n\r\n") { outcome in
            XCTAssertEqual(outcome.head?.status, .notModified)
        }
    }

    func testATruncatedResponseDuringAnUploadIsLost() throws {
        let always = Observable.from(Array(repeating: Self.piece, count: 2000))
        let head = "HTTP/1.1 413 Too Large\r\n"
        for response in [
            head, head + "Content-Length: 9\r\n\r\ntoo much", "HTTP/1.1 100 Continue\r\n\r\n",
            head + "Transfer-Encoding: chunked\r\n\r\n9\r\ntoo much",
            head + "Transfer-Encoding: chunked\r\n\r\n8\r\ntoo much\r\n",
        ] {
            for _ in 0..<20 {
                let outcome = try upload(always, answeredBy: response)
                XCTAssertEqual(outcome.error?.code, .connectionLost, response)
                XCTAssertFalse(outcome.isCompleted)
            }
        }
    }
}
