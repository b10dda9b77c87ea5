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

    func testALockOfAnEarlierAttemptIsGivenBack() {
        let scheduler = TestScheduler(initialClock: 0)
        let transaction = RefreshTransaction(of: 1)
        XCTAssertEqual(transaction.open(for: 1), .nothing, "its turn has not come")
        transaction.run(on: SerialScheduler(over: scheduler)) { _ in }
        scheduler.start()
        XCTAssertEqual(transaction.open(for: 1), .lock(attempt: 1))
        transaction.operation = 2
        XCTAssertEqual(transaction.open(for: 2), .lock(attempt: 2))
        let (early, late) = (Lease(), Lease())
        XCTAssertFalse(transaction.keep(early, of: 1))
        XCTAssertEqual(early.unlocks.withLock { $0 }, 1)
        XCTAssertTrue(transaction.keep(late, of: 2))
        transaction.end()
        XCTAssertEqual(late.unlocks.withLock { $0 }, 1)
        XCTAssertEqual(transaction.open(for: 3), .nothing, "it is over")
        scheduler.start()
    }

    func testAnOperationOpensTheStoreOnceUnlessItHasToReadAgain() {
        let scheduler = TestScheduler(initialClock: 0)
        let transaction = RefreshTransaction(of: 1)
        transaction.run(on: SerialScheduler(over: scheduler)) { _ in }
        scheduler.start()
        XCTAssertEqual(transaction.open(for: 1), .lock(attempt: 1))
        XCTAssertEqual(transaction.open(for: 1), .nothing)
        XCTAssertTrue(transaction.keep(Lease(), of: 1))
        XCTAssertEqual(transaction.open(for: 1), .nothing)
        transaction.allowAnotherOpening()
        XCTAssertEqual(transaction.open(for: 1), .read)
        XCTAssertEqual(transaction.open(for: 2), .read, "it takes over with the lock")
        transaction.end()
        scheduler.start()
    }
}
