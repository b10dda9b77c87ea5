import Foundation
import FreshetCore
import FreshetLayers
import HTTPTypes
import XCTest

/// Tests a disk cache in a process that may open no more files.
final class DiskCacheFileLimitTests: DiskCacheTestCase {
    /// Runs `work` while the process can open no file.
    private func withoutFiles(_ work: () throws -> Void) rethrows {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        let next = open("/dev/null", O_RDONLY)
        close(next)
        var low = rlimit(rlim_cur: rlim_t(next), rlim_max: limit.rlim_max)
        setrlimit(resource, &low)
        defer { setrlimit(resource, &limit) }
        try work()
    }

    /// One burst of connections turned the cache off until the end of the process.
    func testTooManyOpenFilesDoNotStopTheStore() throws {
        let messages = Locked<[String]>([])
        let bench = try bench(failed: { message in messages.withLock { $0.append(message) } })
        for body in ["1", "2"] { bench.script(.ok, "Cache-Control: max-age=100", body: body) }
        try withoutFiles { XCTAssertEqual(try bench.send().body, "1") }
        XCTAssertEqual(try bench.send().body, "2", "the first one could not be stored")
        XCTAssertEqual(try bench.send().from?.prefix(3), "hit")
        XCTAssertEqual(messages.withLock { $0 }, [])
    }
}
