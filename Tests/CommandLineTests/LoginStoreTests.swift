import Freshet
import XCTest

@testable import freshet_cli

/// Tests how long a login waits for its store, and whether it knows what the store has then.
final class LoginStoreTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// A store in memory whose lock and writes take some time.
    private struct SlowStore: CredentialStore {
        let memory: MemoryStore
        let scheduler: HistoricalScheduler
        var locking = Duration.zero
        var saving = Duration.zero
        var failure: StoreError?

        struct Lease: CredentialLease {
            let lease: any CredentialLease
            let store: SlowStore

            func load() -> Single<StoredCredential> { lease.load() }
            func save(_ record: StoredCredential) -> Single<Void> {
                Single.just(()).delay(store.saving, scheduler: store.scheduler).flatMap {
                    if let failure = store.failure { throw failure }
                    return lease.save(record)
                }
            }
            func unlock() { lease.unlock() }
        }

        func load() -> Single<StoredCredential> { memory.load() }
        func lock() -> Single<any CredentialLease> {
            Single.just(()).delay(locking, scheduler: scheduler).flatMap { memory.lock() }.map {
                Lease(lease: $0, store: self)
            }
        }
    }

    private let scheduler = HistoricalScheduler()
    private let credential = Credential(accessToken: "a", refreshToken: "r")

    /// Logs in during `time`.
    ///
    /// - Returns: whether the login has succeeded; `nil` if it has not ended.
    private func login(to store: LoginStore, during time: Duration) -> Bool? {
        let succeeded = Locked<Bool?>(nil)
        let gate = store.gate(revoke: nil)
        let login = gate.login(credential).subscribe(
            onSuccess: { _ in succeeded.withLock { $0 = true } }, onFailure: { _ in succeeded.withLock { $0 = false } })
        scheduler.advanceBy(time / .seconds(1))
        login.dispose()
        return succeeded.withLock { $0 }
    }

    /// The login gave up after 30 s and revoked tokens that a helper kept when a person had unlocked it.
    func testALoginWaitsForTheLongestWriteOfAHelper() {
        let slow = SlowStore(memory: MemoryStore(), scheduler: scheduler, saving: .seconds(180))
        let store = LoginStore(store: slow, scheduler: scheduler)
        XCTAssertEqual(login(to: store, during: .seconds(190)), true)
        XCTAssertFalse(store.giveUp())
    }

    func testALoginWaits30SecondsForTheLockOfItsStore() {
        let slow = SlowStore(memory: MemoryStore(), scheduler: scheduler, locking: .seconds(40))
        let store = LoginStore(store: slow, scheduler: scheduler)
        XCTAssertEqual(login(to: store, during: .seconds(31)), false)
        XCTAssertTrue(store.giveUp())
    }

    func testALoginThatIsGivenUpWritesNothing() {
        let memory = MemoryStore()
        let store = LoginStore(
            store: SlowStore(memory: memory, scheduler: scheduler, locking: .seconds(5)), scheduler: scheduler)
        XCTAssertTrue(store.giveUp())
        XCTAssertEqual(login(to: store, during: .seconds(10)), false)
        XCTAssertTrue(store.giveUp())
    }

    func testARunningWriteKeepsTheTokensAndAFailedOneDoesNot() {
        let failing = SlowStore(
            memory: MemoryStore(), scheduler: scheduler, saving: .seconds(5), failure: StoreError("the disk is full"))
        let store = LoginStore(store: failing, scheduler: scheduler)
        XCTAssertNil(login(to: store, during: .seconds(2)))
        XCTAssertFalse(store.giveUp())
        scheduler.advanceBy(10)
        XCTAssertTrue(store.giveUp())
    }
}
