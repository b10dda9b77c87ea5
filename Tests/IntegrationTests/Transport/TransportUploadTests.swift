import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests bodies that are read while they are sent.
final class TransportUploadTests: TransportOnScriptedServerTestCase {
    private func pieces(_ count: Int, of size: Int) -> [[UInt8]] {
        (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: size) }
    }

    func testAStreamOfKnownLengthIsSentWithItsLength() throws {
        server.enqueue(ScriptedResponse(body: "ok"))
        let pieces = pieces(100, of: 3000)
        let outcome = try outcome(
            transport(), server.url, method: .post, body: .stream(.from(pieces), length: 300_000, contentType: "a/b"))
        XCTAssertEqual(outcome.text, "ok")
        let request = try XCTUnwrap(server.requests.first)
        XCTAssertEqual(request.body, Array(pieces.joined()))
        XCTAssertEqual(request.headers[.contentLength], "300000")
        XCTAssertEqual(request.headers[.contentType], "a/b")
        XCTAssertNil(request.headers[.expect])
        XCTAssertNil(request.headers[.transferEncoding])
        XCTAssertEqual(outcome.sent.last, .init(bytes: 300_000, total: 300_000))
        XCTAssertLessThan(outcome.sent.count, 100)
    }

    func testAStreamOfUnknownLengthIsSentInChunks() throws {
        let transport = transport()
        for method in [HTTPRequest.Method.post, .put, .patch, .delete, .get, .init("REPORT")!] {
            server.enqueue(ScriptedResponse(body: "ok"))
            let pieces = pieces(50, of: 7777)
            let outcome = try outcome(transport, server.url, method: method, body: .stream(.from(pieces)))
            XCTAssertEqual(outcome.text, "ok")
            let request = try XCTUnwrap(server.requests.last)
            XCTAssertEqual(request.method, method)
            XCTAssertEqual(request.body, Array(pieces.joined()))
            XCTAssertEqual(request.headers[.transferEncoding], "chunked")
            XCTAssertNil(request.headers[.contentLength])
            XCTAssertEqual(outcome.sent.last, .init(bytes: 50 * 7777, total: nil))
        }
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testAStreamOfUnknownLengthIsSentAfterAResponseOfHTTP10() throws {
        let transport = transport()
        let old = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
        for _ in 0..<2 { server.enqueue(.raw(old, then: .stay)) }
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        let body = RequestBody.stream(.just([1, 2, 3]))
        let second = try outcome(transport, server.url, method: .post, body: body)
        XCTAssertEqual(second.text, "ok", "\(second.error.debugDescription)")
        XCTAssertEqual(server.requests.last?.body, [1, 2, 3])
        XCTAssertEqual(server.requestCount, 2)
    }

    func testAnEmptyStreamIsAnEmptyBody() throws {
        let transport = transport()
        for length in [0, nil] {
            server.enqueue(ScriptedResponse(body: "ok"))
            let outcome = try outcome(transport, server.url, method: .put, body: .stream(.empty(), length: length))
            XCTAssertEqual(outcome.text, "ok")
            XCTAssertEqual(server.requests.last?.body, [])
            XCTAssertEqual(server.requests.last?.headers[.contentLength], length.map { "\($0)" })
            XCTAssertEqual(outcome.sent, [])
        }
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testAnEmptyFileIsSentWithItsLength() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        try Data().write(to: url)
        let transport = transport()
        for method in [HTTPRequest.Method.post, .put, .get] {
            server.enqueue(ScriptedResponse(body: "ok"))
            XCTAssertEqual(try outcome(transport, server.url, method: method, body: .file(url.path)).text, "ok")
            XCTAssertEqual(server.requests.last?.headers[.contentLength], "0", "\(method)")
            XCTAssertNil(server.requests.last?.headers[.transferEncoding])
        }
    }

    func testAPauseOfTheSourceIsNotLimitedByTheIdleTimeout() throws {
        server.enqueue(ScriptedResponse(body: "ok"))
        let late = Observable<Int>.interval(.milliseconds(400), scheduler: LoopScheduler(loop)).take(3)
            .map { [UInt8]("piece \($0) ".utf8) }
        let outcome = try outcome(transport(), server.url, method: .post, body: .stream(late)) {
            $0.idleTimeout = .milliseconds(300)
        }
        XCTAssertEqual(outcome.text, "ok")
        XCTAssertEqual(server.requests.first?.text.hasSuffix("piece 2 "), true)
        XCTAssertEqual(outcome.sent.count, 3, "each as it came")
    }

    func testPiecesMayComeFromAnyThread() throws {
        server.enqueue(ScriptedResponse(body: "ok"))
        let pieces = pieces(2000, of: 1000)
        let stream = Observable<[UInt8]>.create { observer in
            let thread = Thread {
                for piece in pieces { observer.onNext(piece) }
                observer.onCompleted()
            }
            thread.start()
            return Disposables.create()
        }
        XCTAssertEqual(try outcome(transport(), server.url, method: .post, body: .stream(stream)).text, "ok")
        XCTAssertEqual(server.requests.first?.body, Array(pieces.joined()))
    }

    func testAFileIsStreamed() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 8) }
        try Data(bytes).write(to: url)
        let transport = transport()
        server.enqueue(ScriptedResponse(body: "ok"), ScriptedResponse(body: "ok"))
        XCTAssertEqual(try outcome(transport, server.url, method: .put, body: .file(url.path)).text, "ok")
        XCTAssertEqual(server.requests.last?.body, bytes)
        let part = try outcome(transport, server.url, method: .put, body: .file(url.path, range: 1000..<600_000))
        XCTAssertEqual(part.text, "ok")
        XCTAssertEqual(server.requests.last?.body, Array(bytes[1000..<600_000]))
        let missing = try outcome(transport, server.url, method: .put, body: .file("/nowhere"))
        XCTAssertEqual(missing.error?.code, .invalidRequest)
        XCTAssertEqual(missing.error?.isUnsent, true)
        XCTAssertEqual(missing.error?.phase, .preparing)
        XCTAssertEqual(missing.error?.origin, server.url)
        XCTAssertEqual(server.requestCount, 2)
    }

    func testAFileThatShrinksDuringTheUploadFailsAndTheConnectionIsNotReused() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(count: 4_000_000).write(to: url)
        let transport = transport()
        let isCut = Locked(false)
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = transport.parts(try Request(.put, server.url, body: .file(url.path))).subscribe { event in
            outcome.withLock { $0.record(event) }
            if case .next(.sent) = event, !isCut.withLock({ $0 }) {
                isCut.withLock { $0 = true }
                truncate(url.path, 1_000_000)
            }
            if event.isStopEvent { done.signal() }
        }
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success)
        subscription.dispose()
        let error = outcome.withLock { $0.error }
        XCTAssertEqual(error?.code, .invalidRequest)
        XCTAssertEqual(error?.phase, .sending)
        XCTAssertEqual(error?.isUnsent, false)
        XCTAssertEqual(error?.message.contains("of the 4000000 bytes"), true, error?.message ?? "")
        server.enqueue(ScriptedResponse(body: "ok"))
        XCTAssertEqual(try self.outcome(transport, server.url).text, "ok")
        XCTAssertEqual(server.acceptedConnections, 2)
    }

    func testAnErrorOfTheSourceEndsTheRequestAndItsConnection() throws {
        struct Broken: Error {}
        let transport = transport()
        let stream = Observable<[UInt8]>.just([1, 2, 3]).concat(Observable<[UInt8]>.error(Broken()))
        let failed = try outcome(transport, server.url, method: .post, body: .stream(stream))
        XCTAssertTrue(failed.error?.underlying is Broken)
        XCTAssertEqual(failed.error?.code, .invalidRequest)
        XCTAssertEqual(failed.error?.origin, server.url)
        for (length, text) in [(2, "more than"), (4, "ended after")] {
            let wrong = try outcome(
                transport, server.url, method: .post, body: .stream(.just([1, 2, 3]), length: length))
            XCTAssertEqual(wrong.error?.message.contains(text), true, wrong.error?.message ?? "none")
        }
        server.enqueue(ScriptedResponse(body: "ok"))
        XCTAssertEqual(try outcome(transport, server.url).text, "ok")
        XCTAssertEqual(server.acceptedConnections, 4)
        XCTAssertEqual(server.requestCount, 1)
    }

    func testALargeBodyInMemoryReportsItsProgress() throws {
        server.enqueue(ScriptedResponse(body: "ok"))
        let bytes = [UInt8](repeating: 5, count: 1_000_000)
        let outcome = try outcome(transport(), server.url, method: .post, body: .bytes(bytes))
        XCTAssertEqual(server.requests.first?.body, bytes)
        XCTAssertNil(server.requests.first?.headers[.contentType])
        XCTAssertEqual(outcome.sent.last, .init(bytes: 1_000_000, total: 1_000_000))
        XCTAssertGreaterThan(outcome.sent.count, 2)
    }

    func testACancelledUploadDisposesItsSource() throws {
        let disposed = DispatchSemaphore(value: 0)
        let started = DispatchSemaphore(value: 0)
        let endless = Observable<[UInt8]>.repeatElement([UInt8](repeating: 0, count: 1000))
            .do(onDispose: { disposed.signal() })
        let request = try Request(.post, server.url, body: .stream(endless))
        let subscription = transport().parts(request).subscribe { event in
            if case .next(.sent(let bytes, _)) = event, bytes > 1_000_000 { started.signal() }
        }
        XCTAssertEqual(started.wait(timeout: .now() + 30), .success)
        subscription.dispose()
        XCTAssertEqual(disposed.wait(timeout: .now() + 30), .success)
    }

    func testADeadKeptConnectionRereadsAReplayableBody() throws {
        let transport = transport()
        for isReplayable in [true, false] {
            server.enqueue(ScriptedResponse(body: "one"))
            XCTAssertEqual(try outcome(transport, server.url).text, "one")
            let requestsBefore = server.requestCount
            server.enqueue(.close, ScriptedResponse(body: "two"))
            let opened = Locked(0)
            let stream = Observable<[UInt8]>.deferred {
                opened.withLock { $0 += 1 }
                return .just([1, 2, 3])
            }
            let outcome = try outcome(
                transport, server.url, method: .put, body: .stream(stream, length: 3, isReplayable: isReplayable))
            if isReplayable {
                XCTAssertEqual(outcome.text, "two")
                XCTAssertEqual(server.requests[requestsBefore...].map(\.body), [[1, 2, 3], [1, 2, 3]])
            } else {
                XCTAssertEqual(outcome.error?.code, .connectionLost)
                XCTAssertEqual(outcome.error?.isUnsent, false)
                XCTAssertEqual(server.requestCount, requestsBefore + 1)
            }
            XCTAssertEqual(opened.withLock { $0 }, isReplayable ? 2 : 1)
        }
    }
}
