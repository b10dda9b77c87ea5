import Dispatch
import FreshetCore
import FreshetHTTP
import Glibc
import XCTest

@testable import FreshetAuth

/// Tests logins, logouts, failures and forced refreshes from six threads at once.
final class RefreshGateSessionThreadTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testLoginsAndLogoutsOnManyThreadsLoseNoCallerAndLeaveNoToken() {
        let server = Ledger()
        let store = WatchedStore { server.forget($0) }
        var settings = RefreshGate.Settings()
        settings.refreshLimit = .max
        settings.circuitBreaker.consecutiveFailures = nil
        let gate = RefreshGate(
            store: store, scheduler: ThreadScheduler(), settings: settings,
            revoke: { credential in
                .create { observer in
                    Threads.start {
                        server.forget(credential.accessToken)
                        observer(.completed)
                    }
                    return Disposables.create()
                }
            },
            refresh: { credential in
                .create { observer in
                    Threads.start {
                        for _ in 0..<200 { sched_yield() }
                        observer(server.response(to: credential))
                    }
                    return Disposables.create()
                }
            })
        let threads = Threads()
        let missed = Locked(0)
        for thread in 0..<6 {
            threads.run {
                var dice = Dice(seed: UInt64(thread + 1))
                for _ in 0..<200 where missed.withLock({ $0 }) == 0 {
                    let notified = CallCounter()
                    let use = gate.whenSessionEnds { XCTAssertEqual($0.code, .loginRequired) }
                    let call: any Disposable =
                        switch dice.roll(10) {
                        case 0...2: gate.login(server.login()).subscribe { _ in notified.countCall() }
                        case 3: gate.logout().subscribe { _ in notified.countCall() }
                        case 4: gate.refreshNow().subscribe { notified.countCall($0) }
                        case 5...7:
                            gate.credential(replacing: gate.current?.generation).subscribe { notified.countCall($0) }
                        default: gate.credential().subscribe { notified.countCall($0) }
                        }
                    if dice.roll(4) == 0 {
                        call.dispose()
                    } else {
                        notified.wait()
                        if !notified.isCalledOnce { missed.withLock { $0 += 1 } }
                    }
                    use.dispose()
                }
            }
        }
        threads.join()
        let settled = CallCounter()
        _ = gate.settled().subscribe { _ in settled.countCall() }
        settled.wait()
        XCTAssertTrue(settled.isCalledOnce, "never settled")
        XCTAssertEqual(missed.withLock { $0 }, 0, "somebody was never notified")
        // A login may have ended each of the refreshes above before its response.
        for renewal in [gate.login(server.login()).asCompletable(), gate.refreshNow().asCompletable()] {
            let renewed = CallCounter()
            _ = renewal.subscribe { _ in renewed.countCall() }
            renewed.wait()
        }
        let ending = CallCounter()
        _ = gate.logout().subscribe { _ in ending.countCall() }
        ending.wait()
        Threads.joinAll()
        XCTAssertEqual(server.alive, [], "the server gave it, and it was neither stored nor revoked")
        XCTAssertGreaterThan(server.responded, 0)
        XCTAssertEqual(gate.useCount, 0)
    }

    /// The callback of an earlier waiter can log in before a request learns that a login is required. The second credential has
    /// expired and is refreshed, so that the request does not get it at once.
    func testALoginBetweenAFailureAndTheWaitForALoginEndsTheWait() {
        for (expiresAt, expected) in [(nil, "n"), (1.0, "refreshed")] {
            var settings = RefreshGate.Settings()
            settings.whenLoginIsRequired = .wait
            let areWaiting = DispatchSemaphore(value: 0)
            let gate = RefreshGate(
                store: MemoryStore(), scheduler: ThreadScheduler(), secondsSince1970: { 1000 }, settings: settings,
                refresh: { credential in
                    .create { observer in
                        Threads.start {
                            if credential == nil { areWaiting.wait() }
                            observer(
                                credential == nil
                                    ? .failure(RefreshRefusal("nobody has logged in"))
                                    : .success(Credential(accessToken: "refreshed", refreshToken: "r")))
                        }
                        return Disposables.create()
                    }
                })
            let login = gate.login(Credential(accessToken: "n", refreshToken: "r", expiresAt: expiresAt))
            let first = gate.credential().subscribe { _ in
                let loggedIn = CallCounter()
                _ = login.subscribe { _ in loggedIn.countCall() }
                loggedIn.wait()
            }
            let (notified, token) = (CallCounter(), Locked<String?>(nil))
            let second = gate.acquire(replacing: nil, waitsForLogin: true) { result in
                token.withLock { $0 = try? result.get().accessToken }
                notified.countCall()
            }
            areWaiting.signal()
            notified.wait()
            XCTAssertEqual(token.withLock { $0 }, expected)
            first.dispose()
            second.dispose()
            Threads.joinAll()
        }
    }
}

/// A server that rotates its tokens, and records which tokens it has issued and which it was asked to revoke.
private final class Ledger: Sendable {
    private struct State {
        var last = 0
        var spent: Set<String> = []
        /// Access tokens of pairs that were neither stored nor revoked.
        var alive: Set<String> = []
        var responded = 0

        mutating func pair() -> Credential {
            last += 1
            return Credential(accessToken: "a\(last)", refreshToken: "r\(last)")
        }
    }

    private let state = Locked(State())

    var alive: Set<String> { state.withLock { $0.alive } }
    var responded: Int { state.withLock { $0.responded } }

    func login() -> Credential { state.withLock { $0.pair() } }

    func forget(_ token: String) { state.withLock { _ = $0.alive.remove(token) } }

    func response(to credential: Credential?) -> SingleEvent<Credential> {
        state.withLock { state in
            guard let token = credential?.refreshToken else { return .failure(RefreshRefusal("there is none")) }
            XCTAssertTrue(state.spent.insert(token).inserted, "\(token) used twice")
            state.responded += 1
            let pair = state.pair()
            state.alive.insert(pair.accessToken)
            return .success(pair)
        }
    }
}

/// A store in memory that reports each write.
private final class WatchedStore: CredentialStore {
    private let base = MemoryStore()
    private let saved: @Sendable (String) -> Void

    init(_ saved: @escaping @Sendable (String) -> Void) { self.saved = saved }

    func load() -> Single<StoredCredential> { base.load() }
    func lock() -> Single<any CredentialLease> { base.lock().map { [saved] in Lease(base: $0, saved: saved) } }

    private struct Lease: CredentialLease {
        let base: any CredentialLease
        let saved: @Sendable (String) -> Void

        func load() -> Single<StoredCredential> { base.load() }
        func save(_ record: StoredCredential) -> Single<Void> {
            record.credential.map { saved($0.accessToken) }
            return base.save(record)
        }
        func unlock() { base.unlock() }
    }
}

/// Whether a caller was notified, and only once.
private final class CallCounter: Sendable {
    private let count = Locked(0)
    // A thread that waits must not take time from those that work.
    private let called = DispatchSemaphore(value: 0)

    var isCalledOnce: Bool { count.withLock { $0 } == 1 }

    func countCall() {
        count.withLock { $0 += 1 }
        called.signal()
    }

    func countCall(_ result: SingleEvent<Credential>) {
        if case .failure(let error) = result {
            XCTAssertEqual((error as? HTTPClientError)?.code, .loginRequired)
        }
        countCall()
    }

    func wait() { _ = called.wait(timeout: .now() + 20) }
}

private struct Dice {
    var seed: UInt64

    mutating func roll(_ sides: UInt64) -> UInt64 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (seed >> 33) % sides
    }
}
