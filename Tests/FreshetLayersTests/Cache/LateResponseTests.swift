import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests a response that ends after one that was made later.
final class LateResponseTests: DiskCacheTestCase {
    /// It was kept beside the newer one, and served after the removal of that.
    func testAnOlderResponseIsNotServedAfterTheRemovalOfTheNewerOne() throws {
        for bench in [CacheBench(), try bench()] {
            let gate = Barrier()
            let old: HTTPFields = [.cacheControl: "max-age=1000", .date: CacheBench.date(0)]
            bench.server.enqueue(ScriptedResponse(headers: old, body: "old").pausing(after: 1, until: gate))
            let late = bench.client.send(try Request(.get, "http://a.example/a")).subscribe()
            bench.pass(1)
            bench.script(
                .ok, "Cache-Control: max-age=10", #"ETag: "e""#, "Date: \(CacheBench.date(1))", body: "new")
            XCTAssertEqual(try bench.send().body, "new")
            gate.release()
            bench.pass(20)
            late.dispose()
            bench.script(.notFound, body: "gone")
            XCTAssertEqual(try bench.send().body, "gone")
            bench.script(.notFound, body: "gone")
            XCTAssertEqual(try bench.send().body, "gone")
        }
    }
}
