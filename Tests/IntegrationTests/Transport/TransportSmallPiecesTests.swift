import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLoop

/// Tests bodies that a server sends fast and in tiny pieces.
final class TransportSmallPiecesTests: TransportTestCase {
    private let server = HandServer()

    /// What has come of a body.
    private struct Progress {
        var total = 0
        var inTurn = 0
        var mostInTurn = 0
        var parts = 0
    }

    private static func chunks(_ numbers: Range<Int>) -> String { numbers.map { "5\r\n\($0)\r\n" }.joined() }

    private let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// Sends the response to the next request, on a thread of its own, until the client closes the connection.
    private func respond(_ text: String, thenRepeating chunks: String? = nil) -> XCTestExpectation {
        let ended = expectation(description: "the server has ended")
        Thread.detachNewThread { [server] in
            defer { ended.fulfill() }
            guard let connection = server.accept(), connection.read() != nil else { return XCTFail("no request") }
            connection.write(text)
            guard let chunks else { return _ = connection.read() }
            let bytes = Array(chunks.utf8)
            while connection.write(bytes) {}
        }
        return ended
    }

    func testSmallPiecesThatComeTogetherAreDeliveredTogether() throws {
        let ended = respond(head + Self.chunks(10_000..<60_000) + "0\r\nX-Sum: 1\r\n\r\n")
        let events = Locked<[ResponsePart]>([])
        let completed = expectation(description: "completed")
        let transport = transport()
        let subscription = transport.parts(try Request(.get, server.url)).subscribe { event in
            if case .next(let part) = event { events.withLock { $0.append(part) } }
            if case .completed = event { completed.fulfill() }
        }
        wait(for: [completed], timeout: 30)
        subscription.dispose()
        transport.shutdown()
        wait(for: [ended], timeout: 30)
        let parts = events.withLock { $0 }
        let pieces = parts.compactMap { if case .body(let bytes) = $0 { bytes } else { nil } }
        XCTAssertLessThan(pieces.count, 1000)
        let expected = (10_000..<60_000).map { "\($0)" }.joined()
        XCTAssertTrue(pieces.joined().elementsEqual(expected.utf8), "pieces are missing, or not in their order")
        guard case .trailers = parts.last else { return XCTFail("the trailers do not follow the body") }
    }

    func testSmallAndLargePiecesKeepTheirOrder() throws {
        let texts = (0..<300).map { number in
            String(repeating: "\(number) ", count: number.isMultiple(of: 3) ? 1000 : 1)
        }
        let chunks = texts.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }.joined()
        let ended = respond(head + chunks + "0\r\n\r\n")
        let transport = transport()
        let outcome = try outcome(transport, server.url)
        XCTAssertEqual(outcome.text, texts.joined())
        XCTAssertTrue(outcome.isCompleted)
        transport.shutdown()
        wait(for: [ended], timeout: 30)
    }

    func testPausesAndResumptionsLoseNothingOfSmallPieces() throws {
        let numbers = 10_000..<99_000
        let ended = respond(head + [String](repeating: Self.chunks(numbers), count: 4).joined() + "0\r\n\r\n")
        let state = Locked((bytes: [UInt8](), parts: 0))
        let completed = expectation(description: "completed")
        let transport = transport()
        let subscription = SerialDisposable()
        let request = try Request(.get, server.url)
        let otherThread = DispatchQueue(label: "resumes")
        loop.execute { [loop] in
            subscription.disposable = transport.parts(request).subscribe { event in
                if case .completed = event { completed.fulfill() }
                guard case .next(.body(let bytes)) = event else { return }
                let part = state.withLock { state in
                    state.bytes += bytes
                    state.parts += 1
                    return state.parts
                }
                guard !part.isMultiple(of: 4) else { return }
                subscription.pause()
                switch part % 4 {
                case 1: subscription.resume()
                case 2: loop!.execute { subscription.resume() }
                default: otherThread.async { subscription.resume() }
                }
            }
        }
        wait(for: [completed], timeout: 60)
        subscription.dispose()
        transport.shutdown()
        wait(for: [ended], timeout: 30)
        let (bytes, parts) = state.withLock { $0 }
        XCTAssertGreaterThan(parts, 12)
        let expected = numbers.map { "\($0)" }.joined()
        XCTAssertTrue(
            bytes.elementsEqual([String](repeating: expected, count: 4).joined().utf8),
            "pieces are missing, repeated, or not in their order")
    }

    func testTheLimitOfABodyCountsPiecesThatWait() throws {
        let ended = respond(head + Self.chunks(10_000..<10_100))
        var request = try Request(.get, server.url)
        var options = TransferOptions()
        options.maximumBodySize = 42
        request.transfer = options
        let transport = transport()
        let outcome = outcome(transport, request)
        XCTAssertEqual(outcome.error?.code, .tooLarge)
        XCTAssertEqual(outcome.text, "1000010001100021000310004100051000610007")
        transport.shutdown()
        wait(for: [ended], timeout: 30)
    }

    func testSmallChunksWithoutEndLeaveMostOfATurnToOtherTransfers() throws {
        let ended = respond(head, thenRepeating: Self.chunks(10_000..<16_000))
        let progress = try progress(of: Request(.get, server.url), on: transport())
        wait(for: [ended], timeout: 30)
        XCTAssertLessThan(progress.mostInTurn, 256 * 1024)
    }

    func testSmallFramesThatComeTogetherAreDeliveredTogether() throws {
        let server = try HTTP2Server { [.head($0.stream), .repeated(.data($0.stream, "small"))] }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        let progress = try progress(of: Request(.get, server.url + "/"), on: transport)
        XCTAssertLessThan(progress.parts, Self.enough / 5 / 20)
    }

    private static let enough = 4_000_000

    /// The progress of a response until enough bytes have come.
    private func progress(of request: Request, on transport: CurlTransport) throws -> Progress {
        let progress = Locked(Progress())
        let done = DispatchSemaphore(value: 0)
        loop.execute { [loop] in
            let phase = LoopPhase(.beforeWait, of: loop!.raw, loop!.adoption)
            phase.handler = {
                let isDone = progress.withLock { progress in
                    progress.inTurn = 0
                    return progress.total >= Self.enough
                }
                guard isDone else { return }
                phase.close()
            }
            phase.start()
        }
        let subscription = transport.parts(request).subscribe { event in
            guard case .next(.body(let bytes)) = event else { return }
            let total = progress.withLock { progress in
                progress.parts += 1
                progress.total += bytes.count
                progress.inTurn += bytes.count
                progress.mostInTurn = max(progress.mostInTurn, progress.inTurn)
                return progress.total
            }
            if total >= Self.enough { done.signal() }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 60), .success, "too few bytes")
        subscription.dispose()
        transport.shutdown()
        return progress.withLock { $0 }
    }
}
