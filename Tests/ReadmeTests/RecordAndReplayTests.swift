import Foundation
import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// Runs the examples of the page about recordings.
final class RecordAndReplayTests: LiveExampleTestCase {
    func testTheFirstRunRecordsAndLaterRunsNeedNoServer() async throws {
        let path = NSTemporaryDirectory() + "freshet-\(UUID().uuidString).har"
        defer { try? FileManager.default.removeItem(atPath: path) }
        server.enqueue(ScriptedResponse(body: "once"))
        for _ in 0..<2 {
            let client = try RecordAndReplayExample.live(at: path, runtime)
            let text = try await client.get(server.url).text().value
            XCTAssertEqual(text, "once")
        }
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(String.self)
        let client = try RecordAndReplayExample.onVirtualTime(at: path, scheduler)
        let subscription = client.get(server.url).text().asObservable().subscribe(observer)
        scheduler.start()
        subscription.dispose()
        XCTAssertRecordedElements(observer.events.filter { !$0.value.isStopEvent }, ["once"])
        XCTAssertEqual(server.requestCount, 1)
    }
}
