import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests responses that arrive while the client still sends the body of the request.
final class TransportDuplexTests: TransportTestCase {
    private func trickle(_ pieces: Int, from first: Int = 0) -> Observable<[UInt8]> {
        Observable<Int>.interval(.milliseconds(10), scheduler: LoopScheduler(loop)).take(pieces)
            .map { [UInt8]("piece \(first + $0) ".utf8) }
    }

    private static func response(_ size: Int) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nX-A: b\r\n\r\n" + String(repeating: "x", count: size)
    }

    /// It was a lost connection, while a response with a `Content-Length` was delivered.
    func testACompleteResponseInChunksCountsAlthoughTheRestOfTheBodyCanNotBeSent() throws {
        let text = String(repeating: "x", count: 100_000)
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n\(text)\r\n0\r\n\r\n"
        let listener = LoopbackListener(leaves: true) { request in
            request.contains("\r\n\r\n") ? "HTTP/1.1 100 Continue\r\n\r\n\(response)" : nil
        }
        defer { listener.close() }
        let body = [UInt8](repeating: 1, count: 300_000)
        for _ in 0..<5 {
            let outcome = try outcome(transport(), listener.url, method: .put, body: .bytes(body)) {
                $0.expectsContinue = .seconds(20)
            }
            XCTAssertNil(outcome.error)
            XCTAssertEqual(outcome.body.count, text.utf8.count)
        }
    }

    func testBothDirectionsArePausedSeparately() throws {
        let listener = LoopbackListener { $0.contains("piece 0") ? Self.response(2_000_000) : nil }
        defer { listener.close() }
        let rest = AsyncSubject<Void>()
        let following = trickle(29, from: 1)
        let body = trickle(1).concat(rest.flatMap { _ in following })
        let request = try Request(.post, listener.url, body: .stream(body))
        let outcome = Locked(Outcome())
        let heldAt = Locked<(received: Int, sent: Int)?>(nil)
        let done = DispatchSemaphore(value: 0)
        let held = DispatchSemaphore(value: 0)
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            transport().parts(request).subscribe { event in
                outcome.withLock { $0.record(event) }
                if case .next(.body) = event, heldAt.withLock({ $0 == nil }) {
                    subscription.pause()
                    heldAt.withLock { $0 = outcome.withLock { ($0.body.count, $0.sent.count) } }
                    held.signal()
                }
                if event.isStopEvent { done.signal() }
            })
        XCTAssertEqual(held.wait(timeout: .now() + 30), .success)
        rest.onNext(())
        rest.onCompleted()
        let until = Date().addingTimeInterval(30)
        while outcome.withLock({ $0.sent.count }) < 15, Date() < until { usleep(1000) }
        XCTAssertGreaterThanOrEqual(
            outcome.withLock { $0.sent.count }, 15, "the body stood while the response was held")
        XCTAssertLessThanOrEqual(heldAt.withLock { $0?.sent ?? .max }, 1)
        XCTAssertLessThan(outcome.withLock { $0.body.count }, 1_000_000)
        subscription.resume()
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success)
        subscription.dispose()
        XCTAssertEqual(outcome.withLock { $0.body.count }, 2_000_000)
        XCTAssertTrue(outcome.withLock { $0.isCompleted })
        XCTAssertEqual(outcome.withLock { $0.sent.last?.bytes }, (0..<30).reduce(0) { $0 + "piece \($1) ".count })
    }

    func testTheLoopSleepsWhileBothDirectionsArePaused() throws {
        let listener = LoopbackListener {
            $0.contains("piece 0") ? "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning" : nil
        }
        defer { listener.close() }
        let more = PublishSubject<[UInt8]>()
        let request = try Request(.post, listener.url, body: .stream(trickle(1).concat(more)))
        let sent = Locked(0)
        let held = DispatchSemaphore(value: 0)
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            transport().parts(request).subscribe { event in
                if case .next(.sent) = event { sent.withLock { $0 += 1 } }
                if case .next(.head) = event {
                    subscription.pause()
                    held.signal()
                }
            })
        XCTAssertEqual(held.wait(timeout: .now() + 30), .success)
        XCTAssertLessThan(turns(of: loop), 200)
        more.onNext(Array("piece 1".utf8))
        waitUntil("the second piece is sent") { sent.withLock { $0 } == 2 }
        XCTAssertLessThan(turns(of: loop), 200, "the loop watches for what nobody wants")
        subscription.dispose()
    }

    func testASuccessfulResponseToAPartialBodyIsDeliveredIfTheServerCloses() throws {
        let listener = LoopbackListener(leaves: true) { $0.contains("piece 1") ? Self.response(100) : nil }
        defer { listener.close() }
        let outcome = try outcome(transport(), listener.url, method: .post, body: .stream(trickle(1000)))
        XCTAssertEqual(outcome.head?.status, .ok)
        XCTAssertEqual(outcome.body.count, 100)
        XCTAssertTrue(outcome.isCompleted, outcome.error.map { "\($0)" } ?? "")
        XCTAssertLessThan(outcome.sent.count, 1000)
    }

    func testAServerThatClosesWhileTheSourceOfTheBodyIsSilentEndsTheTransfer() throws {
        let closing = Self.response(100).replacingOccurrences(of: "Content-Length", with: "X-Length")
        for (text, code) in [
            ("", HTTPClientError.Code.connectionLost), (Self.response(100), nil), (closing, nil),
            (String(Self.response(100).dropLast()), .connectionLost), ("HTTP/1.1 204 No Content\r\n\r\n", nil),
        ] {
            let outcome = try outcomeOfSilence(before: Array(text.utf8))
            XCTAssertEqual(outcome.error?.code, code, "\(text.prefix(60)): \(outcome.error.debugDescription)")
            XCTAssertEqual(outcome.isCompleted, code == nil)
            XCTAssertEqual(outcome.sent.count, 2)
        }
    }

    func testAChunkedResponseIsCompleteWithItsLastChunkIfTheServerClosesWhileTheSourceIsSilent() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (chunks, code, body) in [
            ("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", HTTPClientError.Code?.none, "hello"),
            ("5;a=b\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n", nil, "hello"), ("0\r\n\r\n", nil, ""),
            ("3\r\nhel\r\n2\r\nlo\r\n", .connectionLost, "hello"), ("9\r\nhello", .connectionLost, "hello"),
            ("", .connectionLost, ""),
        ] {
            let outcome = try outcomeOfSilence(before: Array((head + chunks).utf8))
            // Where libcurl removes the frames, the transfer waits for its source.
            let isUnknown = LoadedLibcurl.mayRemoveFrames && outcome.error?.code == .timeout
            XCTAssertTrue(
                isUnknown || outcome.error?.code == code, "\(chunks): \(outcome.error.debugDescription)")
            XCTAssertEqual(outcome.text, body)
            let hasTrailer = chunks.contains("X-Sum") && !isUnknown
            XCTAssertEqual(outcome.trailers?[HTTPField.Name("X-Sum")!], hasTrailer ? "1" : nil)
        }
    }

    func testACompressedResponseIsCompleteIfTheServerClosesWhileTheSourceIsSilent() throws {
        let body = Array("hello".utf8)
        let bodies = [("gzip", Encoded.gzip(body)), ("deflate", Encoded.zlib(body)), ("br", Encoded.brotli(body))]
        for (coding, bytes) in bodies where LoadedLibcurl.codings.contains(coding) {
            for missing in [0, 1] {
                let fields = "Content-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n"
                let head = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8)
                let outcome = try outcomeOfSilence(before: head + bytes.dropLast(missing))
                XCTAssertEqual(
                    outcome.error?.code, missing == 0 ? nil : .connectionLost,
                    "\(coding): \(outcome.error.debugDescription)")
                if missing == 0 { XCTAssertEqual(outcome.body, body, coding) }
            }
        }
    }

    func testBytesBehindTheResponseDoNotHideThatTheServerHasClosed() throws {
        for isReset in [false, true] {
            let server = HandServer()
            let connection = Locked<HandConnection?>(nil)
            let (outcome, done) = (Locked(Outcome()), DispatchSemaphore(value: 0))
            let body = RequestBody.stream(trickle(2).concat(Observable.never()))
            let subscription = transport().parts(try Request(.post, server.url, body: body)).subscribe { event in
                outcome.withLock { $0.record(event) }
                // libcurl has the whole response, so it reads no more.
                if case .next(.body) = event {
                    let accepted = connection.withLock { $0.take() }
                    accepted?.write("surplus")
                    if isReset { accepted?.reset() }
                }
                if event.isStopEvent { done.signal() }
            }
            do {
                let accepted = try XCTUnwrap(server.accept())
                accepted.read(to: "piece 1 \r\n")
                connection.withLock { $0 = accepted }
                accepted.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            }
            XCTAssertEqual(done.wait(timeout: .now() + 10), .success, "no end, with a reset: \(isReset)")
            subscription.dispose()
            XCTAssertNil(outcome.withLock { $0.error })
            XCTAssertEqual(outcome.withLock { $0.text }, "x")
        }
    }

    /// The outcome of a request whose source is silent after two pieces. The server then sends `response` and closes.
    private func outcomeOfSilence(before response: [UInt8]) throws -> Outcome {
        let server = HandServer()
        Thread.detachNewThread {
            guard let connection = server.accept(), connection.read(to: "piece 1 \r\n") != nil else { return }
            connection.write(response)
        }
        let body = RequestBody.stream(trickle(2).concat(Observable.never()))
        return try outcome(transport(), server.url, method: .post, body: body) { $0.totalTimeout = .seconds(8) }
    }

    func testAServerThatClosesWithoutAResponseLosesTheConnection() throws {
        let listener = LoopbackListener(leaves: true) { $0.contains("piece 1") ? "" : nil }
        defer { listener.close() }
        let outcome = try outcome(transport(), listener.url, method: .post, body: .stream(trickle(1000)))
        XCTAssertEqual(outcome.error?.code, .connectionLost)
        XCTAssertEqual(outcome.error?.isUnsent, false)
    }
}
