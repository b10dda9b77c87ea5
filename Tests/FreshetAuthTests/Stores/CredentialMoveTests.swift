import FreshetCore
import FreshetHTTP
import FreshetTesting
import XCTest

@testable import FreshetAuth

final class CredentialMoveTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Fails to save from a certain save on.
    private struct FailingStore: CredentialStore {
        let memory: MemoryStore

        struct Lease: CredentialLease {
            let lease: any CredentialLease

            func load() -> Single<StoredCredential> { lease.load() }
            func save(_ record: StoredCredential) -> Single<Void> { .error(StoreError("the disk is full")) }
            func unlock() { lease.unlock() }
        }

        func load() -> Single<StoredCredential> { memory.load() }
        func lock() -> Single<any CredentialLease> { memory.lock().map { Lease(lease: $0) } }
    }

    private func result<Value>(_ single: Single<Value>) -> Result<Value, any Error>? {
        let ending = Locked<Result<Value, any Error>?>(nil)
        _ = single.subscribe { event in ending.withLock { $0 = event } }
        return ending.withLock { $0 }
    }

    private func stored(_ store: any CredentialStore) throws -> StoredCredential {
        try XCTUnwrap(result(store.load())).get()
    }

    private var login: Credential {
        var credential = Credential(accessToken: "a", refreshToken: "r")
        credential.details.loginID = "l"
        return credential
    }

    func testAMoveLeavesTheLoginInTheNewStoreOnly() throws {
        let (old, new) = (MemoryStore(login), MemoryStore(Credential(accessToken: "x")))
        let moved = try XCTUnwrap(result(old.moveCredential(to: new))).get()
        XCTAssertEqual(moved, try stored(new))
        XCTAssertEqual(moved.credential?.details.loginID, "l")
        XCTAssertEqual(moved.credential?.refreshToken, "r")
        XCTAssertEqual(moved.version, 2)
        XCTAssertNil(try stored(old).credential)
    }

    func testAFailedMoveNeverLosesTheCredential() throws {
        let old = MemoryStore(login)
        guard case .failure? = result(old.moveCredential(to: FailingStore(memory: MemoryStore()))) else {
            return XCTFail("moved to a full disk")
        }
        XCTAssertEqual(try stored(old).credential?.accessToken, "a")
        let (source, target) = (FailingStore(memory: MemoryStore(login)), MemoryStore())
        guard case .failure(let error as StoreError)? = result(source.moveCredential(to: target)) else {
            return XCTFail("it is in both stores, and nobody was told")
        }
        XCTAssertTrue(error.message.contains("both"), error.message)
        XCTAssertEqual(try stored(target).credential?.accessToken, "a")
        XCTAssertEqual(try stored(source).credential?.accessToken, "a")
        XCTAssertNotNil(result(old.lock()), "the lock is free again")
        XCTAssertNotNil(result(target.lock()))
    }

    /// Fails to read with an error.
    private struct UnreadableStore: CredentialStore {
        let memory = MemoryStore()
        let error: StoreError

        struct Lease: CredentialLease {
            let lease: any CredentialLease
            let error: StoreError

            func load() -> Single<StoredCredential> { .error(error) }
            func save(_ record: StoredCredential) -> Single<Void> { lease.save(record) }
            func unlock() { lease.unlock() }
        }

        func load() -> Single<StoredCredential> { .error(error) }
        func lock() -> Single<any CredentialLease> { memory.lock().map { Lease(lease: $0, error: error) } }
    }

    /// A running program can have the generation of the first login, and must not take the moved credential for that one.
    func testAMoveReplacesWhatIsNoRecordByALaterVersion() throws {
        let (old, new) = (MemoryStore(login), UnreadableStore(error: StoreError("no JSON", isUnreadableRecord: true)))
        XCTAssertEqual(try XCTUnwrap(result(old.moveCredential(to: new))).get().version, 2)
        XCTAssertEqual(try stored(new.memory).credential?.refreshToken, "r")
        XCTAssertNil(try stored(old).credential)
        guard case .failure(is StoreError)? = result(new.moveCredential(to: old)) else {
            return XCTFail("moved what can't be read")
        }
    }

    /// The record of a store that does not respond may be good.
    func testAMoveToAStoreThatCannotBeReadFailsAndReplacesNothing() throws {
        let (old, new) = (MemoryStore(login), UnreadableStore(error: StoreError("it does not respond")))
        guard case .failure(is StoreError)? = result(old.moveCredential(to: new)) else { return XCTFail("moved") }
        XCTAssertNil(try stored(new.memory).credential)
        XCTAssertEqual(try stored(old).credential?.refreshToken, "r")
    }

    func testMovingFromAnEmptyStoreRequiresALogin() throws {
        let target = MemoryStore(Credential(accessToken: "x"))
        guard case .failure(let error as HTTPClientError)? = result(MemoryStore().moveCredential(to: target)) else {
            return XCTFail("moved nothing")
        }
        XCTAssertEqual(error.code, .loginRequired)
        XCTAssertEqual(try stored(target).credential?.accessToken, "x")
    }

    func testAMoveToTheSameStoreFailsAndKeepsTheLoginAndTheLockFree() throws {
        let store = MemoryStore(login)
        guard case .failure(is StoreError)? = result(store.moveCredential(to: store)) else {
            return XCTFail("it waits for its own lock")
        }
        XCTAssertEqual(try stored(store).credential, login.with(generation: 1))
        XCTAssertNotNil(result(store.lock()), "the lock is free")
    }

    /// Two people move credentials between the same two stores at once. Each move has one lock when it asks for the other.
    func testTwoMovesInOppositeDirectionsBothEnd() throws {
        let clock = GateBench.clock()
        let stores = [MemoryStore(login), MemoryStore(Credential(accessToken: "x"))].map {
            SlowlyLockedStore(memory: $0, clock: clock)
        }
        let (there, back) = (Ending<StoredCredential>(), Ending<StoredCredential>())
        _ = stores[0].moveCredential(to: stores[1]).subscribe { there.set($0) }
        _ = stores[1].moveCredential(to: stores[0]).subscribe { back.set($0) }
        clock.start()
        XCTAssertEqual(try there.value?.get().credential?.accessToken, "a")
        XCTAssertEqual(try back.value?.get().credential?.accessToken, "a")
        XCTAssertEqual(try stored(stores[0]).credential?.accessToken, "a")
        XCTAssertNil(try stored(stores[1]).credential)
    }

    private final class SlowlyLockedStore: CredentialStore {
        private let memory: MemoryStore
        private let clock: TestScheduler

        init(memory: MemoryStore, clock: TestScheduler) {
            self.memory = memory
            self.clock = clock
        }

        func load() -> Single<StoredCredential> { memory.load() }
        func lock() -> Single<any CredentialLease> {
            memory.lock().flatMap { [clock] in after(0.01, on: clock, .success($0)) }
        }
    }

    /// A value has no address to sort by. An order that changes from move to move would be none.
    func testAMoveBetweenStoresThatAreValuesAlwaysLocksTheDestinationLast() throws {
        let locked = Locked<[String]>([])
        for _ in 0..<50 {
            let old = ValueStore(memory: MemoryStore(login), name: "old", locked: locked)
            let new = ValueStore(memory: MemoryStore(), name: "new", locked: locked)
            _ = try XCTUnwrap(result(old.moveCredential(to: new))).get()
        }
        XCTAssertEqual(locked.withLock { $0 }, (0..<50).flatMap { _ in ["old", "new"] })
    }

    private struct ValueStore: CredentialStore {
        let memory: MemoryStore
        let name: String
        let locked: Locked<[String]>

        func load() -> Single<StoredCredential> { memory.load() }
        func lock() -> Single<any CredentialLease> {
            locked.withLock { $0.append(name) }
            return memory.lock()
        }
    }
}
