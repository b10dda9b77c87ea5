import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests validations that run while a stale response is served. Source: RFC 5861 section 3.
final class CacheBackgroundValidationTests: DiskCacheTestCase {
    /// The validation waited for the paused reader, and all others got the stale response until then.
    func testAReaderThatPausesDoesNotDelayTheValidationForTheOthers() throws {
        let bench = try bench()
        bench.script(.ok, "Cache-Control: max-age=1, stale-while-revalidate=600", body: "old")
        try bench.send()
        bench.pass(10)
        bench.script(.ok, "Cache-Control: max-age=100", body: "new")
        let text = Locked("")
        let paused = bench.client.send(try Request(.get, "http://a.example/a")).subscribe(
            onSuccess: { response in text.withLock { $0 = response.text } })
        (paused as? any Pausable)?.pause()
        bench.pass(1)
        XCTAssertEqual(try bench.send().body, "old")
        XCTAssertEqual(try bench.send().body, "new")
        (paused as? any Pausable)?.resume()
        bench.pass(1)
        XCTAssertEqual(bench.requestCount, 2, "one validation is enough")
        paused.dispose()
    }
}
