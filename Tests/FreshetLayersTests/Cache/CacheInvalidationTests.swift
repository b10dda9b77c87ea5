import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests the invalidation by unsafe requests. Source: RFC 9111 section 4.4.
final class CacheInvalidationTests: DiskCacheTestCase {
    /// The removal was cancelled with the request, so the response from before the change was served again.
    func testTheCancellationOfASuccessfulUnsafeRequestKeepsNoStoredResponse() throws {
        let bench = try bench()
        bench.script(.ok, "Cache-Control: max-age=100", body: "old")
        try bench.send()
        bench.server.enqueue(ScriptedResponse(status: .noContent).after(.seconds(2)))
        let put = bench.client.send(try Request(.put, "http://a.example/a")).subscribe()
        bench.pass(1)
        // In the same turn as the head, before the store has done its work.
        _ = bench.scheduler.scheduleRelative((), dueTime: .seconds(1)) {
            put.dispose()
            return Disposables.create()
        }
        bench.pass(2)
        bench.script(.ok, body: "new")
        XCTAssertEqual(try bench.send().body, "new")
    }
}
