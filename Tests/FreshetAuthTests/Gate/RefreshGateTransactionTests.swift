import FreshetCore
import FreshetTesting
import XCTest

@testable import FreshetAuth

/// Tests in which order a login or a logout and a refresh write to the store.
final class RefreshGateTransactionTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testALogoutSucceedsAtOnceDuringARefreshThatHangs() throws {
        let bench = GateBench()
        bench.respond(with: .never())
        _ = bench.gate.credential(replacing: 1).subscribe { _ in }
        let logout = Ending<Int>()
        bench.scheduler.advanceTo(0)
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        _ = bench.gate.logout().subscribe { logout.set($0.map { bench.scheduler.clock }) }
        bench.scheduler.advanceTo(0)
        XCTAssertEqual(try logout.value?.get(), 0)
        XCTAssertNil(try XCTUnwrap(bench.result(bench.store.load())).get().credential)
    }

    func testALoginSucceedsAtOnceDuringARefreshThatHangs() throws {
        let bench = GateBench()
        bench.respond(with: .never())
        let waiting = Ending<String>()
        _ = bench.gate.credential(replacing: 1).subscribe { waiting.set($0.map(\.accessToken)) }
        bench.scheduler.advanceTo(0)
        _ = bench.gate.login(pair(7)).subscribe { _ in }
        bench.scheduler.advanceTo(0)
        XCTAssertEqual(try waiting.value?.get(), "a7")
        bench.run()
    }

    func testALogoutDuringTheWriteOfARefreshIsWrittenAfterIt() throws {
        let store = SlowlyWrittenStore(pair(1), on: GateBench.clock())
        let bench = GateBench(on: store.scheduler, store: store)
        _ = bench.gate.credential(replacing: 1).subscribe { _ in }
        bench.scheduler.advanceTo(1500)
        XCTAssertEqual(store.log, ["a2 begins"])
        let logout = Ending<Int>()
        _ = bench.gate.logout().subscribe { logout.set($0.map { bench.scheduler.clock }) }
        bench.run()
        XCTAssertEqual(store.log, ["a2 begins", "a2 written", "nothing begins", "nothing written"])
        XCTAssertEqual(try logout.value?.get(), 3000)
        XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a2"])
    }

    func testALogoutDuringTheWaitForTheLockDoesNotWaitForTheRefresh() throws {
        let bench = GateBench()
        let lease = try XCTUnwrap(try bench.result(bench.store.lock())?.get())
        _ = bench.gate.credential(replacing: 1).subscribe { _ in }
        bench.scheduler.advanceTo(10)
        let logout = Ending<Void>()
        _ = bench.gate.logout().subscribe { logout.set($0) }
        bench.scheduler.advanceTo(20)
        XCTAssertNil(logout.value)
        lease.unlock()
        bench.scheduler.advanceTo(20)
        XCTAssertNotNil(try logout.value?.get())
        XCTAssertEqual(bench.sentRefreshTokens, [])
        bench.run()
    }

    func testOfTwoLogoutsAndALoginTheLastWins() throws {
        let bench = GateBench()
        bench.respond(with: .never())
        _ = bench.gate.credential(replacing: 1).subscribe { _ in }
        bench.scheduler.advanceTo(0)
        _ = bench.gate.logout().subscribe { _ in }
        _ = bench.gate.login(pair(7)).subscribe { _ in }
        _ = bench.gate.logout().subscribe { _ in }
        _ = bench.gate.login(pair(9)).subscribe { _ in }
        bench.scheduler.advanceTo(0)
        XCTAssertEqual(bench.gate.current?.accessToken, "a9")
        bench.run()
    }
}

/// A store in memory whose writes take a second.
private final class SlowlyWrittenStore: CredentialStore {
    let scheduler: TestScheduler
    private let base: MemoryStore
    private let writes = Locked<[String]>([])

    init(_ credential: Credential, on scheduler: TestScheduler) {
        base = MemoryStore(credential)
        self.scheduler = scheduler
    }

    var log: [String] { writes.withLock { $0 } }

    func load() -> Single<StoredCredential> { base.load() }
    func lock() -> Single<any CredentialLease> { base.lock().map { Lease(base: $0, store: self) } }

    private struct Lease: CredentialLease {
        let base: any CredentialLease
        let store: SlowlyWrittenStore

        func load() -> Single<StoredCredential> { base.load() }

        func save(_ record: StoredCredential) -> Single<Void> {
            let name = record.credential?.accessToken ?? "nothing"
            return .create { observer in
                store.writes.withLock { $0.append("\(name) begins") }
                return store.scheduler.scheduleRelative((), dueTime: .seconds(1)) {
                    store.writes.withLock { $0.append("\(name) written") }
                    return base.save(record).subscribe(observer)
                }
            }
        }

        func unlock() { base.unlock() }
    }
}
