import FreshetCore
import FreshetHTTP
import FreshetTesting
import XCTest

@testable import FreshetAuth

final class LoginIfNeededTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private let configured = Credential(refreshToken: "r0")

    func testOfTwoProgramsThatBeginWithOneTokenTheLaterUsesWhatTheEarlierHasRefreshed() throws {
        let bench = GateBench(store: MemoryStore())
        let other = bench.makeGate()
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().refreshToken, "r0")
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a2")
        XCTAssertEqual(try bench.result(other.loginIfNeeded(configured))?.get().refreshToken, "r2")
        XCTAssertEqual(other.current?.accessToken, "a2")
        XCTAssertEqual(try bench.result(other.credential())?.get().accessToken, "a2")
        XCTAssertEqual(bench.sentRefreshTokens, ["r0"])
    }

    func testTheTokenIsStoredAfterALogoutAndAfterARefusal() throws {
        let bench = GateBench()
        XCTAssertNotNil(try bench.result(bench.gate.logout())?.get())
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().refreshToken, "r0")
        bench.respond(with: .error(RefreshRefusal("spent")))
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .loginRequired)
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().refreshToken, "r0")
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().refreshToken, "r5")
    }

    func testATokenReplacesAnAccessTokenThatHasExpiredAndCannotBeRefreshed() throws {
        let spent = Credential(accessToken: "a", expiresAt: 10)
        let bench = GateBench(store: MemoryStore(spent))
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().refreshToken, "r0")
        let usable = Credential(accessToken: "a", expiresAt: 5000)
        let other = GateBench(store: MemoryStore(usable))
        XCTAssertEqual(try other.result(other.gate.loginIfNeeded(configured))?.get().accessToken, "a")
    }

    func testALoginThatKeepsWhatIsStoredWaitsForARunningRefreshAndCostsNoOther() throws {
        let bench = GateBench()
        let first = Ending<Credential>()
        _ = bench.gate.credential(replacing: 1).subscribe { first.set($0) }
        let kept = Ending<Credential>()
        let next = Ending<Credential>()
        bench.scheduler.scheduleAt(500) {
            _ = bench.gate.loginIfNeeded(self.configured).subscribe { kept.set($0) }
            _ = bench.gate.credential(replacing: 1).subscribe { next.set($0) }
        }
        bench.run()
        for ending in [first, kept, next] { XCTAssertEqual(try ending.value?.get().accessToken, "a2") }
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        XCTAssertEqual(bench.forgotten.withLock { $0 }, [])
    }

    func testALoginAtTheInstantOfARequestLeavesTheGateUsable() throws {
        let bench = GateBench(store: MemoryStore())
        let first = Ending<Credential>()
        _ = bench.gate.credential().subscribe { first.set($0) }
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().refreshToken, "r0")
        XCTAssertEqual(try first.value?.get().accessToken, "a2")
        XCTAssertEqual(try bench.result(bench.gate.credential(replacing: 2))?.get().accessToken, "a3")
        XCTAssertEqual(bench.sentRefreshTokens, ["r0", "r2"])
    }

    func testASuccessorThatCouldNotBeWrittenIsKept() throws {
        let store = FullStore()
        let bench = GateBench(store: store)
        XCTAssertEqual(bench.failure(bench.gate.credential(replacing: 1))?.code, .store)
        store.isFull.withLock { $0 = false }
        store.record.withLock { $0.isRefused = true }
        XCTAssertNotNil(try bench.result(bench.gate.loginIfNeeded(configured))?.get())
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a2")
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
    }

    func testARequestThatWasRefusedIsNotReleasedWithTheCredentialThatItRefused() throws {
        let bench = GateBench()
        let refused = Ending<Credential>()
        _ = bench.gate.credential(replacing: 1).subscribe { refused.set($0) }
        XCTAssertNotNil(try bench.result(bench.gate.loginIfNeeded(configured))?.get())
        XCTAssertEqual(try refused.value?.get().accessToken, "a2")
    }

    func testAFirstTokenThatCouldNotBeWrittenDoesNotHoldTheGate() throws {
        let store = FullStore(.empty)
        let bench = GateBench(store: store)
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .store)
        store.isFull.withLock { $0 = false }
        let began = bench.scheduler.now
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().refreshToken, "r0")
        XCTAssertLessThan(began.duration(to: bench.scheduler.now), .seconds(5))
    }

    func testALogoutReplacesARefreshAlsoWhileALoginWaitsForIt() throws {
        let bench = GateBench()
        let use = bench.gate.credential(replacing: 1).subscribe { _ in }
        let (kept, ended) = (Ending<Credential>(), Ending<Void>())
        bench.scheduler.scheduleAt(500) {
            _ = bench.gate.loginIfNeeded(self.configured).subscribe { kept.set($0) }
            _ = bench.gate.logout().subscribe { ended.set($0) }
        }
        bench.scheduler.advanceTo(700)
        XCTAssertNotNil(ended.value)
        bench.run()
        use.dispose()
        XCTAssertEqual(try kept.value?.get().refreshToken, "r0")
    }

    func testARefreshTokenThatHasExpiredIsReplaced() throws {
        var spent = Credential(accessToken: "a", refreshToken: "r", expiresAt: 10)
        spent.details.refreshExpiresAt = 20
        let bench = GateBench(store: MemoryStore(spent))
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().refreshToken, "r0")
    }

    func testItLeavesACredentialRejectedThatARequestWasRefusedWith() throws {
        let bench = GateBench()
        bench.respond(with: .error(HTTPClientError(.timeout, phase: .refreshing, message: "late")))
        XCTAssertEqual(bench.failure(bench.gate.credential(replacing: 1))?.code, .refreshFailed)
        XCTAssertEqual(try bench.result(bench.gate.loginIfNeeded(configured))?.get().accessToken, "a1")
        XCTAssertEqual(try bench.result(bench.gate.credential())?.get().accessToken, "a2")
    }

    func testADamagedStoreIsNotReplaced() {
        let bench = GateBench(store: DamagedStore())
        XCTAssertEqual(bench.failure(bench.gate.loginIfNeeded(configured))?.code, .store)
    }
}

private struct DamagedStore: CredentialStore, CredentialLease {
    func load() -> Single<StoredCredential> { .error(StoreError("damaged")) }
    func lock() -> Single<any CredentialLease> { .just(self) }
    func save(_ record: StoredCredential) -> Single<Void> {
        XCTFail("it was written")
        return .just(())
    }
    func unlock() {}
}

/// A store that fails to write while it is full.
private final class FullStore: CredentialStore, CredentialLease {
    let record: Locked<StoredCredential>
    let isFull = Locked(true)

    init(_ record: StoredCredential = stored(1)) {
        self.record = Locked(record)
    }

    func load() -> Single<StoredCredential> { .deferred { .just(self.record.withLock { $0 }) } }
    func lock() -> Single<any CredentialLease> { .just(self) }
    func save(_ record: StoredCredential) -> Single<Void> {
        .deferred {
            if self.isFull.withLock({ $0 }) { return .error(StoreError("full")) }
            return .just(self.record.withLock { $0 = record })
        }
    }
    func unlock() {}
}
