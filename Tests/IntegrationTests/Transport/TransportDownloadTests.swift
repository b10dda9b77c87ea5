import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests downloads with a loop, its sockets and its pool of threads.
final class TransportDownloadTests: TransportOnScriptedServerTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        try super.setUpWithError()
        folder = NSTemporaryDirectory() + "download-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
        super.tearDown()
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    private func client(_ loop: Loop? = nil, _ transport: CurlTransport? = nil) -> HTTPClient {
        HTTPClient(transport: transport ?? self.transport(), scheduler: LoopScheduler(loop ?? self.loop))
    }

    func testALargeFileIsDownloadedUnchanged() throws {
        let piece = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        server.enqueue(.repeating(piece, times: 1000))
        let done = DispatchSemaphore(value: 0)
        let error = Locked<(any Error)?>(nil)
        let last = Locked(DownloadProgress(received: 0, total: nil))
        let subscription = client().download(
            try Request(.get, server.url), to: folder + "/file", on: BlockingScheduler(on: loop)
        ).subscribe(
            onNext: { event in
                if case .progress(let progress) = event { last.withLock { $0 = progress } }
            },
            onError: { failure in
                error.withLock { $0 = failure }
                done.signal()
            },
            onCompleted: { done.signal() })
        XCTAssertEqual(done.wait(timeout: .now() + 60), .success)
        subscription.dispose()
        XCTAssertNil(error.withLock { $0 })
        XCTAssertEqual(last.withLock { $0 }, DownloadProgress(received: 65_537_000, total: 65_537_000))
        XCTAssertEqual(names, ["file"])
        let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/file"), options: .alwaysMapped)
        XCTAssertEqual(file.count, 65_537_000)
        for number in [0, 1, 499, 999] {
            XCTAssertEqual(file[number * 65_537..<(number + 1) * 65_537], Data(piece), "\(number)")
        }
    }

    func testALostConnectionIsResumed() throws {
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        server.route { request in
            let first = request.headers[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            var response = ScriptedResponse(
                status: first > 0 ? .partialContent : .ok, headers: [.eTag: "\"v1\""], pieces: [Array(body[first...])])
            if first > 0 { response.headers[.contentRange] = "bytes \(first)-\(body.count - 1)/\(body.count)" }
            return first < 2_000_000 ? response.truncated(after: 1_000_000) : response
        }
        var options = DownloadOptions()
        options.resumes = 3
        let done = DispatchSemaphore(value: 0)
        let subscription = client().download(
            try Request(.get, server.url), to: folder + "/file", options: options, on: BlockingScheduler(on: loop)
        ).subscribe { if $0.isStopEvent { done.signal() } }
        XCTAssertEqual(done.wait(timeout: .now() + 60), .success)
        subscription.dispose()
        XCTAssertEqual(FileManager.default.contents(atPath: folder + "/file"), Data(body))
    }

    func testALengthThatDoesNotCountIsNotTheLengthOfTheFile() throws {
        for (head, body) in [
            ("200 OK\r\nContent-Length: 100\r\nTransfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n"),
            ("204 No Content\r\nContent-Length: 5", ""),
        ] {
            server.enqueue(.raw("HTTP/1.1 \(head)\r\n\r\n\(body)"))
            let (done, error) = (DispatchSemaphore(value: 0), Locked<(any Error)?>(nil))
            let subscription = client().download(
                try Request(.get, server.url), to: folder + "/file", on: BlockingScheduler(on: loop)
            ).subscribe { event in
                if case .error(let failure) = event { error.withLock { $0 = failure } }
                if event.isStopEvent { done.signal() }
            }
            XCTAssertEqual(done.wait(timeout: .now() + 60), .success)
            subscription.dispose()
            XCTAssertNil(error.withLock { $0 }, head)
            XCTAssertEqual(
                FileManager.default.contents(atPath: folder + "/file"), Data(body.isEmpty ? "".utf8 : "ok".utf8), head)
        }
    }

    func testADownloadContinuesRightAfterItsCancellation() async throws {
        let rest: HTTPFields = [.eTag: "\"v1\"", .contentRange: "bytes 5-10/11"]
        let client = client()
        var options = DownloadOptions()
        options.isResumable = true
        let download = client.download(
            try Request(.get, server.url), to: folder + "/file", options: options, on: BlockingScheduler(on: loop))
        for _ in 0..<20 {
            let pieces = [Array("hello".utf8), Array(" world".utf8)]
            server.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], pieces: pieces).pausing(.seconds(100)))
            let begun = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for try await event in download.values {
                    if case .progress(let progress) = event, progress.received == 5 { begun.continuation.finish() }
                }
            }
            for await _ in begun.stream {}
            task.cancel()
            _ = await task.result
            server.enqueue(ScriptedResponse(status: .partialContent, headers: rest, body: " world"))
            for try await _ in download.values {}
            XCTAssertEqual(server.requests.last?.headers[.range], "bytes=5-")
            XCTAssertEqual(names, ["file"])
        }
    }

    func testTheEndOfTheLoopEndsADownloadAndLeavesNoFile() throws {
        let other = try Loop(name: "other")
        let transport = CurlTransport(loop: other)
        server.enqueue(ScriptedResponse(pieces: [Array("hello".utf8), Array("world".utf8)]).pausing(.seconds(100)))
        let began = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let subscription = client(other, transport).download(
            try Request(.get, server.url), to: folder + "/file", on: BlockingScheduler(on: other)
        ).subscribe(
            onNext: { if case .progress(let progress) = $0, progress.received > 0 { began.signal() } },
            onError: { _ in ended.signal() })
        XCTAssertEqual(began.wait(timeout: .now() + 20), .success)
        other.shutdown()
        XCTAssertEqual(ended.wait(timeout: .now() + 20), .success)
        subscription.dispose()
        XCTAssertEqual(names, [])
    }
}
