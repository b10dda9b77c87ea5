import FreshetCore
import FreshetHTTP
import Glibc
import XCTest

@testable import FreshetAuth

/// Tests a write of a file store that goes on after the gate's deadline, because a thread that blocks can't be cancelled.
final class RefreshGateLateWriteTests: FileStoreTestCase {
    private let work = WorkByHand()
    private let coding = LogoutBlockingCoding()

    override func tearDown() {
        coding.letGo()
        Threads.joinAll()
        super.tearDown()
    }

    /// Lets time pass until `condition` holds, and runs the work of the store that comes up meanwhile.
    private func pass(
        _ bench: GateBench, _ milliseconds: Int = 1, onThreads: Bool = false, until condition: () -> Bool
    ) {
        var passes = 0
        while !condition(), passes < 10_000_000 {
            passes += 1
            pass(bench, milliseconds, onThreads: onThreads)
            sched_yield()
        }
        XCTAssertTrue(condition())
    }

    private func pass(_ bench: GateBench, _ milliseconds: Int = 1, onThreads: Bool = false) {
        bench.scheduler.advanceBy(milliseconds)
        for next in work.takeAll() { if onThreads { Threads.start(next) } else { next() } }
    }

    // The logout holds the lock of the refresh that it has replaced. Its write has failed for the gate, which gives the lock to
    // the login.
    func testALogoutThatIsWrittenAfterItsDeadlineDoesNotEmptyTheStoreAfterALogin() throws {
        try save(stored(1), in: store())
        scheduler.start()
        let bench = GateBench(store: FileStore(path: path, coding: coding, scheduler: work))
        bench.respond(with: .never())
        _ = bench.gate.credential(replacing: 1).subscribe { _ in }
        pass(bench) { bench.sentRefreshTokens == ["r1"] }
        let (logout, login) = (Ending<Void>(), Ending<Credential>())
        _ = bench.gate.logout().subscribe { logout.set($0) }
        // The thread may start late, and takes none of the gate's time.
        pass(bench, 0, onThreads: true) { coding.isBlocking }
        _ = bench.gate.login(pair(9)).subscribe { login.set($0) }
        pass(bench, 100) { logout.value != nil }
        XCTAssertEqual(logout.error?.code, .store)
        // Time for the login to be written beside the logout.
        for _ in 0..<100 { pass(bench) }
        coding.letGo()
        Threads.joinAll()
        pass(bench) { login.value != nil }
        XCTAssertEqual(try login.value?.get().accessToken, "a9")
        XCTAssertEqual(try get(store().load()).credential?.accessToken, "a9")
        bench.run()
        pass(bench)
    }
}

/// A scheduler whose work the test runs.
private final class WorkByHand: SchedulerType {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    var now: Instant { Instant(sinceStart: .zero) }

    func takeAll() -> [@Sendable () -> Void] { waiting.withLock { exchange(&$0, with: []) } }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        waiting.withLock { $0.append { item.invoke() } }
        return item
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        schedule(state, action: action)
    }
}

/// Blocks the thread that writes a logout, as a slow disk does.
private final class LogoutBlockingCoding: CredentialCoding {
    private let json = JSONCredentialCoding()
    private let state = Locked((isBlocking: false, isReleased: false))

    var isBlocking: Bool { state.withLock { $0.isBlocking } }
    func letGo() { state.withLock { $0.isReleased = true } }

    func encode(_ record: StoredCredential) throws -> [UInt8] {
        if record.credential == nil {
            state.withLock { $0.isBlocking = true }
            while !state.withLock({ $0.isReleased }) { sched_yield() }
        }
        return try json.encode(record)
    }

    func decode(_ bytes: [UInt8]) throws -> StoredCredential { try json.decode(bytes) }
}
