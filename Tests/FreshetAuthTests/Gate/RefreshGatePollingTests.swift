import FreshetCore
import FreshetTesting
import XCTest

@testable import FreshetAuth

final class RefreshGatePollingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAWaitForAnotherProcessReadsTheStoreOftenAtFirstAndRarelyLater() throws {
        let store = CountingStore()
        let bench = GateBench(store: store)
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        let lease = try XCTUnwrap(try bench.result(store.lock())?.get())
        let start = bench.scheduler.clock
        _ = bench.gate.credential(replacing: 1).subscribe { _ in }
        let before = store.loads.withLock { $0 }
        bench.scheduler.advanceTo(start + 100)
        let soon = store.loads.withLock { $0 } - before
        XCTAssertGreaterThanOrEqual(soon, 3)
        bench.scheduler.advanceTo(start + 2000)
        XCTAssertLessThan(store.loads.withLock { $0 } - before, 40)
        lease.unlock()
        bench.run()
    }
}

private final class CountingStore: CredentialStore {
    let loads = Locked(0)
    private let store = MemoryStore(pair(1))

    func load() -> Single<StoredCredential> {
        loads.withLock { $0 += 1 }
        return store.load()
    }

    func lock() -> Single<any CredentialLease> { store.lock() }
}
