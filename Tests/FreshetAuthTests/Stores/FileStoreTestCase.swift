import FoundationEssentials
import FreshetCore
import FreshetTesting
import Glibc
import XCTest

@testable import FreshetAuth

/// A file store on virtual time, in a directory that the test removes.
class FileStoreTestCase: XCTestCase {
    var resources = 0
    var directory = ""
    var path: String { directory + "/sub/api.json" }
    let scheduler = GateBench.clock()

    override func setUp() {
        resources = Resources.total
        var template = Array("/tmp/freshet-store-XXXXXX".utf8CString)
        directory = String(cString: mkdtemp(&template))
    }

    override func tearDown() {
        scheduler.start()
        try? FileManager.default.removeItem(atPath: directory)
        XCTAssertEqual(Resources.total, resources)
    }

    func store() -> FileStore { FileStore(path: path, scheduler: scheduler) }

    func get<Value>(_ single: Single<Value>) throws -> Value {
        let ending = Ending<Value>()
        _ = single.subscribe { ending.set($0) }
        scheduler.start()
        return try XCTUnwrap(ending.value).get()
    }

    /// Stores `record` in one whole transaction.
    func save(_ record: StoredCredential, in store: FileStore) throws {
        let lease = try get(store.lock())
        try get(lease.save(record))
        lease.unlock()
    }

    func write(_ text: String, mode: mode_t = 0o600) throws {
        mkdir(directory + "/sub", 0o700)
        XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        chmod(path, mode)
    }
}
