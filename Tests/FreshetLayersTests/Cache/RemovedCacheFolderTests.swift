import Foundation
import FreshetCore
import FreshetLayers
import FreshetTesting
import HTTPTypes
import XCTest

/// A folder of a disk cache that something removes while processes use it, such as a cleaner of caches.
final class RemovedCacheFolderTests: DiskCacheTestCase {
    /// The other one had made a key, and neither read what the other stored.
    func testAProcessSharesTheFolderThatAnotherHasMadeAnew() throws {
        let first = try bench()
        first.script(.ok, "Cache-Control: max-age=100", body: "old")
        try first.send(.get, "/a")
        try FileManager.default.removeItem(atPath: folder)
        let second = try bench()
        second.script(.ok, "Cache-Control: max-age=100", body: "of the second")
        try second.send(.get, "/a")
        XCTAssertEqual(try first.send(.get, "/a").body, "of the second")
        first.script(.ok, "Cache-Control: max-age=100", body: "of the first")
        try first.send(.get, "/b")
        XCTAssertEqual(try second.send(.get, "/b").body, "of the first")
        first.script(.ok)
        try first.send(.delete, "/b")
        second.script(.ok, body: "again")
        XCTAssertEqual(try second.send(.get, "/b").body, "again", "the first one has removed it")
    }

    func testAProcessThatComesLaterReadsWhatIsStoredAfterTheRemoval() throws {
        let first = try bench()
        try FileManager.default.removeItem(atPath: folder)
        first.script(.ok, "Cache-Control: max-age=100", body: "stored")
        try first.send(.get, "/a")
        let second = try bench()
        XCTAssertEqual(try second.send(.get, "/a").body, "stored")
        XCTAssertEqual(try first.send(.get, "/a").from?.prefix(3), "hit")
    }
}
