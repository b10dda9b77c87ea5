import FreshetCore
import FreshetHTTP
import FreshetTesting
import XCTest

@testable import FreshetAuth

/// Tests which requests a logout ends, and what the server revokes.
final class RefreshGateLogoutTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func startRefresh(_ bench: GateBench) {
        _ = bench.gate.credential(replacing: 1).subscribe { _ in }
        bench.scheduler.advanceTo(500)
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
    }

    func testALogoutEmptiesTheStoreAndThenRevokesTheStoredCredential() throws {
        let bench = GateBench()
        bench.revoke.withLock {
            $0 = { [store = bench.store] in
                store.load().asObservable().do(onNext: { XCTAssertNil($0.credential) }).ignoreElements().asCompletable()
            }
        }
        XCTAssertNotNil(try bench.result(bench.gate.logout())?.get())
        XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a1"])
        XCTAssertEqual(bench.revocations.withLock { $0.map(\.outcome) }, [.revoked])
        XCTAssertEqual(bench.revocations.withLock { $0.map(\.generation) }, [1])
        XCTAssertNotNil(try bench.result(bench.gate.logout())?.get())
        XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a1"], "there is nothing to forget")
    }

    func testAFailedOrHangingRevocationIsReportedAndTheLogoutSucceeds() throws {
        for (response, outcome, end) in [
            (Completable.error(Trouble()), .failed, 0), (.never(), .timedOut, 5000),
        ] as [(Completable, RevocationEvent.Outcome, Int)] {
            let bench = GateBench()
            bench.revoke.withLock { $0 = { response } }
            let others = Ending<Credential>()
            XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
            let waiting = Ending<Void>()
            _ = bench.gate.logout().subscribe { waiting.set($0) }
            _ = bench.gate.credential(replacing: 1).subscribe { others.set($0) }
            bench.run()
            XCTAssertNotNil(try waiting.value?.get())
            XCTAssertEqual(others.error?.code, .loginRequired)
            XCTAssertEqual(bench.revocations.withLock { $0.map(\.outcome) }, [outcome])
            XCTAssertEqual(bench.revocations.withLock { $0.map { $0.error is Trouble } }, [outcome == .failed])
            XCTAssertEqual(bench.scheduler.clock, max(end, bench.scheduler.clock))
            XCTAssertNil(try bench.result(bench.store.load())?.get().credential)
        }
    }

    // Failure 9: the late response is not only dropped but also revoked. No other client does this.
    func testALateResponseIsRevoked() throws {
        let bench = GateBench()
        startRefresh(bench)
        _ = bench.gate.logout().subscribe { _ in }
        let settled = Ending<[String]>()
        bench.scheduler.scheduleAt(600) {
            XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a1"])
            _ = bench.gate.settled().subscribe { _ in settled.set(.success(bench.forgotten.withLock { $0 })) }
        }
        bench.run()
        XCTAssertEqual(try settled.value?.get(), ["a1", "a2"], "it is waited for")
        XCTAssertEqual(bench.revocations.withLock { $0.map(\.cause) }, [.logout, .discarded])
        XCTAssertEqual(bench.outcomes, [.discarded])
        XCTAssertNil(bench.gate.current)
    }

    func testALateResponseIsRevokedAfterALoginAndTheNewCredentialIsNot() throws {
        let bench = GateBench()
        startRefresh(bench)
        _ = bench.gate.login(pair(7)).subscribe { _ in }
        bench.run()
        XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a2"])
        XCTAssertEqual(bench.gate.current?.accessToken, "a7")
    }

    func testALateResponseIsNotRevokedIfTheLoginHasOneOfItsTokens() throws {
        let responses = [
            Credential(accessToken: "a2"), Credential(accessToken: "a7", refreshToken: "r2"),
            // It continues the session of `r1`, which the login has.
            Credential(accessToken: "a2", refreshToken: "r2"),
        ]
        for response in responses {
            let bench = GateBench()
            bench.respond(with: after(1, on: bench.scheduler, .success(response)))
            startRefresh(bench)
            _ = bench.gate.login(Credential(accessToken: "a7", refreshToken: "r1")).subscribe { _ in }
            bench.run()
            XCTAssertEqual(bench.outcomes, [.discarded])
            XCTAssertEqual(bench.forgotten.withLock { $0 }, [], "the login would end with it")
        }
    }

    func testALoginRevokesThePairThatItReplacesUnlessOneTokenIsTheSame() throws {
        for (credential, revoked) in [
            (pair(7), ["a1"]), (Credential(accessToken: "a7", refreshToken: "r1"), []),
            (Credential(accessToken: "a1", refreshToken: "r7"), []),
        ] {
            let bench = GateBench()
            XCTAssertNotNil(try bench.result(bench.gate.login(credential, revokesReplaced: true))?.get())
            XCTAssertEqual(bench.forgotten.withLock { $0 }, revoked)
        }
    }

    func testLoginsByRefreshTokensAloneShareNoToken() throws {
        let store = MemoryStore(Credential(refreshToken: "r1"))
        let bench = GateBench(store: store)
        let other = Credential(refreshToken: "r7")
        XCTAssertNotNil(try bench.result(bench.gate.login(other, revokesReplaced: true))?.get())
        XCTAssertEqual(bench.revocations.withLock { $0.map(\.cause) }, [.replaced])

        let late = GateBench(store: MemoryStore(Credential(refreshToken: "r1")))
        _ = late.gate.credential().subscribe { _ in }
        late.scheduler.advanceTo(500)
        XCTAssertEqual(late.sentRefreshTokens, ["r1"])
        _ = late.gate.login(other).subscribe { _ in }
        late.run()
        XCTAssertEqual(late.forgotten.withLock { $0 }, ["a2"])
        let same = Credential(refreshToken: "r7")
        XCTAssertNotNil(try bench.result(bench.gate.login(same, revokesReplaced: true))?.get())
        XCTAssertEqual(bench.revocations.withLock { $0.count }, 1)
    }

    func testALogoutThatCannotBeWrittenLeavesTheRefreshRunning() throws {
        let store = ScriptedStore(pair(1))
        let bench = GateBench(store: store)
        let waiting = Ending<Credential>()
        _ = bench.gate.credential(replacing: 1).subscribe { waiting.set($0) }
        bench.scheduler.advanceTo(500)
        store.fails(true)
        let logout = Ending<Void>()
        _ = bench.gate.logout().subscribe { logout.set($0) }
        bench.scheduler.advanceTo(600)
        XCTAssertEqual(logout.error?.code, .store)
        XCTAssertNil(waiting.value)
        store.fails(false)
        bench.run()
        XCTAssertEqual(try waiting.value?.get().accessToken, "a2")
        XCTAssertEqual(bench.forgotten.withLock { $0 }, [])
        XCTAssertEqual(try bench.result(store.load())?.get().credential?.refreshToken, "r2")
    }

    func testAPairThatCouldNotBeWrittenIsRevokedToo() throws {
        let store = ScriptedStore(pair(1))
        let bench = GateBench(store: store)
        startRefresh(bench)
        store.fails(true)
        bench.run()
        XCTAssertEqual(bench.outcomes, [.store])
        store.fails(false)
        XCTAssertNotNil(try bench.result(bench.gate.logout())?.get())
        XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a1", "a2"])
    }

    func testALogoutNotifiesTheActiveUsesOnly() throws {
        let bench = GateBench()
        let notified = Locked<[String]>([])
        func use(_ name: String) -> any Disposable {
            bench.gate.whenSessionEnds { error in notified.withLock { $0.append("\(name) \(error.code.rawValue)") } }
        }
        let uses = ["a", "b", "c"].map(use)
        uses[1].dispose()
        uses[1].dispose()
        let late = use("d")
        XCTAssertNotNil(try bench.result(bench.gate.login(pair(3)))?.get())
        XCTAssertEqual(notified.withLock { $0 }, [])
        XCTAssertNotNil(try bench.result(bench.gate.logout())?.get())
        XCTAssertEqual(notified.withLock { $0.sorted() }, ["a login_required", "c login_required", "d login_required"])
        for use in uses + [late] { use.dispose() }
        XCTAssertNotNil(try bench.result(bench.gate.logout())?.get())
        XCTAssertEqual(notified.withLock { $0.count }, 3)
    }

    func testAUseThatIsNeverDisposedIsReleasedWithTheGate() {
        final class SessionCredential: Sendable {}
        weak var current: SessionCredential?
        do {
            let bench = GateBench()
            let object = SessionCredential()
            current = object
            for _ in 0..<3 { _ = bench.gate.whenSessionEnds { _ in _ = object } }
        }
        XCTAssertNil(current)
    }

    func testARefusedRefreshEndsNoActiveUse() {
        let bench = GateBench()
        bench.respond(with: .error(RefreshRefusal("spent")))
        let use = bench.gate.whenSessionEnds { _ in XCTFail("its access token may work") }
        XCTAssertEqual(bench.failure(bench.gate.credential(replacing: 1))?.code, .loginRequired)
        use.dispose()
    }
}

/// A store in memory whose writes can be made to fail.
private final class ScriptedStore: CredentialStore {
    private let base: MemoryStore
    private let isFailing = Locked(false)

    init(_ credential: Credential) { base = MemoryStore(credential) }

    func fails(_ isFailing: Bool) { self.isFailing.withLock { $0 = isFailing } }
    func load() -> Single<StoredCredential> { base.load() }

    func lock() -> Single<any CredentialLease> {
        base.lock().map { [isFailing] in Lease(base: $0, isFailing: isFailing) }
    }

    private struct Lease: CredentialLease {
        let base: any CredentialLease
        let isFailing: Locked<Bool>

        func load() -> Single<StoredCredential> { base.load() }
        func save(_ record: StoredCredential) -> Single<Void> {
            isFailing.withLock { $0 } ? .error(StoreError("full")) : base.save(record)
        }
        func unlock() { base.unlock() }
    }
}
