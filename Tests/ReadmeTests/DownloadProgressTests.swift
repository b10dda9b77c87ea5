import Foundation
import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// Runs the examples of the page about the progress of downloads.
final class DownloadProgressTests: LiveExampleTestCase {
    func testADownloadReportsItsProgress() async throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let shown = Locked<[String]>([])
        server.enqueue(ScriptedResponse(body: "12345678"))
        try await DownloadProgressExample.download(server.url, to: path, on: runtime) { text in
            shown.withLock { $0.append(text) }
        }
        XCTAssertEqual(shown.withLock { $0.first }, "0 %")
        XCTAssertEqual(shown.withLock { $0.suffix(2) }, ["100 %", "8 bytes in \(path)"])
        XCTAssertEqual(DownloadProgressExample.text(.init(received: 9, total: nil)), "9 bytes")
    }

    func testPercentsAreShownAtMostTenTimesASecond() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let received = [(10, 0), (20, 1), (30, 2), (40, 500), (50, 1000)]
        let download = scheduler.createHotObservable(
            received.map { .next($0.0, DownloadEvent.progress(.init(received: $0.1, total: 1000))) }
                + [.next(300, .progress(.init(received: 1000, total: 1000))), .completed(300)])
        let observer = scheduler.createObserver(Int.self)
        let subscription = DownloadProgressExample.percents(of: download.asObservable(), on: scheduler)
            .subscribe(observer)
        scheduler.start()
        XCTAssertEqual(observer.events, [.next(10, 0), .next(110, 100), .completed(300)])
        subscription.dispose()
    }

    func testBodiesInMemoryAndUploadsReportProgressToo() async throws {
        server.enqueue(ScriptedResponse(body: "12345678"), ScriptedResponse())
        let request = try Request(.get, server.url)
        let received = try await DownloadProgressExample.bytes(of: request, by: runtime.client).toArray().value
        XCTAssertEqual(received.last?.fraction, 1)

        let path = NSTemporaryDirectory() + UUID().uuidString
        try String(repeating: "x", count: 100_000).write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let sent = try await DownloadProgressExample.upload(path, to: server.url, by: runtime.client).toArray().value
        XCTAssertEqual(sent.last?.fraction, 1)
    }
}
