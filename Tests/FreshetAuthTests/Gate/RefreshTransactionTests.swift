import FreshetCore
import FreshetTesting
import XCTest

@testable import FreshetAuth

/// Tests who gets the store's lock when one operation takes over the transaction of another.
final class RefreshTransactionTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private final class Lease: CredentialLease {
        let unlocks = Locked(0)

        func load() -> Single<StoredCredential> { .just(.empty) }
        func save(_ record: StoredCredential) -> Single<Void> { .just(()) }
        func unlock() { unlocks.withLock { $0 += 1 } }
    }

    func testALockOfAnEarlierAttemptIsGivenBack() throws {
        let scheduler = TestScheduler(initialClock: 0)
        let transaction = RefreshTransaction(of: 1)
        XCTAssertNil(transaction.beginLocking(), "its turn has not come")
        transaction.run(on: SerialScheduler(over: scheduler)) { _ in }
        scheduler.start()
        let first = try XCTUnwrap(transaction.beginLocking())
        let second = try XCTUnwrap(transaction.beginLocking())
        let (early, late) = (Lease(), Lease())
        XCTAssertFalse(transaction.keep(early, of: first))
        XCTAssertEqual(early.unlocks.withLock { $0 }, 1)
        XCTAssertTrue(transaction.keep(late, of: second))
        XCTAssertNil(transaction.beginLocking(), "it has the lock")
        transaction.end()
        XCTAssertEqual(late.unlocks.withLock { $0 }, 1)
        XCTAssertNil(transaction.beginLocking(), "it is over")
        scheduler.start()
    }
}
