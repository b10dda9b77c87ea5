import Foundation
import FreshetCore
import FreshetLayers
import FreshetTesting
import XCTest

/// A test of caches in a folder of its own.
class DiskCacheTestCase: XCTestCase {
    private var resources = 0
    var folder = ""

    override func setUp() {
        resources = Resources.total
        folder = NSTemporaryDirectory() + "freshet-cache-\(UUID().uuidString)"
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
        XCTAssertEqual(Resources.total, resources)
    }

    /// A client with a store of its own on the same folder, as in another process.
    func bench(maximumSize: Int = 1 << 20, failed: @escaping @Sendable (String) -> Void = { _ in }) throws
        -> CacheBench
    {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let store = try DiskCacheStore(
            at: folder, maximumSize: maximumSize, scheduler: scheduler,
            secondsSince1970: { CacheBench.start + scheduler.now.sinceStart / .seconds(1) }, failed: failed)
        return CacheBench(store: store, scheduler: scheduler)
    }
}
