import FreshetCore
import FreshetHTTP
import XCTest

@testable import FreshetAuth

/// Tests that the pair of a refresh is neither lost nor left valid if a login or a full disk comes between. Each read and each
/// write of the store takes 1 s, so the refresh asks the server after 2 s.
final class RefreshGateUnwrittenTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func makeBench() -> (GateBench, SlowStore) {
        let clock = GateBench.clock()
        let store = SlowStore(pair(1, expiresAt: 900), on: clock, delay: .seconds(1))
        return (GateBench(on: clock, store: store), store)
    }

    func testALoginThatCannotBeWrittenDuringALateRefreshLosesNoRotatedToken() throws {
        let (bench, store) = makeBench()
        bench.respond(with: after(33, on: bench.scheduler, .success(pair(2))))
        let waiter = Ending<Credential>()
        _ = bench.gate.credential().subscribe { waiter.set($0) }
        bench.scheduler.advanceTo(29_000)
        store.failWrites(1)
        let login = Ending<Credential>()
        _ = bench.gate.login(pair(9)).subscribe { login.set($0) }
        bench.scheduler.advanceTo(31_000)
        XCTAssertEqual(login.error?.code, .store)
        XCTAssertNotNil(waiter.error, "the deadline has passed, so it waits no longer")
        bench.run()
        XCTAssertEqual(store.record.credential?.refreshToken, "r2")
        XCTAssertEqual(bench.outcomes, [.refreshed])
        XCTAssertEqual(bench.forgotten.withLock { $0 }, [])
    }

    func testARefreshThatNeverRespondsEndsAtItsSecondDeadlineDuringAFailedLogin() throws {
        let (bench, store) = makeBench()
        bench.respond(with: .never())
        _ = bench.gate.credential().subscribe { _ in }
        bench.scheduler.advanceTo(29_000)
        store.failWrites(1)
        _ = bench.gate.login(pair(9)).subscribe { _ in }
        bench.run()
        XCTAssertEqual(bench.scheduler.clock, 60_000)
        XCTAssertEqual(bench.outcomes, [.failed])
    }

    func testTheResponseToARefreshThatALoginHasReplacedIsRevokedAfterItsDeadlineToo() throws {
        for login in [10_000, 29_000] {
            let (bench, store) = makeBench()
            bench.respond(with: after(33, on: bench.scheduler, .success(pair(2))))
            _ = bench.gate.credential().subscribe { _ in }
            bench.scheduler.advanceTo(login)
            _ = bench.gate.login(pair(9)).subscribe { _ in }
            bench.run()
            XCTAssertEqual(store.record.credential?.refreshToken, "r9")
            XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a2"])
            XCTAssertEqual(bench.outcomes, [.discarded])
        }
    }

    /// Another program holds the lock, the server responds just before the deadline, and the write ends just after it.
    func testAWriteThatBeginsBeforeTheDeadlineIsNotCutOff() throws {
        let (bench, store) = makeBench()
        let held = Locked<(any CredentialLease)?>(nil)
        _ = store.lock().subscribe(onSuccess: { lease in held.withLock { $0 = lease } })
        bench.respond(with: after(9, on: bench.scheduler, .success(pair(2))))
        let waiter = Ending<Credential>()
        _ = bench.gate.credential().subscribe { waiter.set($0) }
        bench.scheduler.advanceTo(19_500)
        held.withLock { $0.take() }?.unlock()
        bench.run()
        XCTAssertEqual(try waiter.value?.get().accessToken, "a2")
        XCTAssertEqual(store.record.credential?.refreshToken, "r2")
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
        XCTAssertEqual(bench.outcomes, [.refreshed])
    }

    func testALogoutThatBeginsItsWriteBeforeTheDeadlineIsNotCutOff() throws {
        let (bench, store) = makeBench()
        let held = Locked<(any CredentialLease)?>(nil)
        _ = store.lock().subscribe(onSuccess: { lease in held.withLock { $0 = lease } })
        let logout = Ending<Void>()
        _ = bench.gate.logout().subscribe { logout.set($0) }
        bench.scheduler.advanceTo(28_500)
        held.withLock { $0.take() }?.unlock()
        bench.run()
        XCTAssertNotNil(try logout.value?.get())
        XCTAssertNil(store.record.credential)
        XCTAssertEqual(bench.forgotten.withLock { $0 }, ["a1"])
    }

    func testAWriteThatNeverEndsFailsAtItsOwnDeadline() throws {
        let clock = GateBench.clock()
        let store = SlowStore(pair(1, expiresAt: 900), on: clock, delay: .seconds(20))
        let bench = GateBench(on: clock, store: store) { $0.deadline = .seconds(45) }
        store.hangWrites()
        XCTAssertEqual(bench.failure(bench.gate.credential())?.code, .store)
        XCTAssertEqual(clock.clock, 41_000 + 45_000)
    }

    func testAResponseWithTokensThatNoFieldCanHoldIsAFailedRefreshAndTheNextRequestAsksAgain() throws {
        for token in ["a2\n", "", "a\u{e9}"] {
            let bench = GateBench()
            bench.respond(with: .just(Credential(accessToken: token)))
            XCTAssertEqual(bench.failure(bench.gate.credential(replacing: 1))?.code, .refreshFailed)
            XCTAssertEqual(bench.outcomes, [.failed])
            XCTAssertNotNil(try bench.result(bench.gate.settled())?.get())
            bench.scheduler.advanceTo(bench.scheduler.clock + 31_000)
            XCTAssertEqual(try bench.result(bench.gate.credential(replacing: 1))?.get().accessToken, "a2")
            XCTAssertEqual(bench.sentRefreshTokens, ["r1", "r1"])
        }
    }

    func testSettledWritesThePairThatCouldNotBeWritten() throws {
        let (bench, store) = makeBench()
        store.failWrites(1)
        _ = bench.gate.credential().subscribe { _ in }
        bench.run()
        XCTAssertEqual(bench.outcomes, [.store])
        XCTAssertNotNil(try bench.result(bench.gate.settled())?.get())
        XCTAssertEqual(store.record.credential?.refreshToken, "r2")
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
    }

    func testSettledWritesThePairWhileTheOldCredentialStillServes() throws {
        let clock = GateBench.clock()
        let store = SlowStore(pair(1, expiresAt: 5000), on: clock)
        let bench = GateBench(on: clock, store: store)
        XCTAssertNotNil(try bench.result(bench.gate.credential())?.get())
        store.failWrites(1)
        XCTAssertEqual(bench.failure(bench.gate.refreshNow())?.code, .store)
        XCTAssertNotNil(try bench.result(bench.gate.settled())?.get())
        XCTAssertEqual(store.record.credential?.refreshToken, "r2")
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
    }

    func testSettledFailsIfThePairStillCannotBeWrittenAndKeepsIt() throws {
        let (bench, store) = makeBench()
        store.failWrites(2)
        _ = bench.gate.credential().subscribe { _ in }
        bench.run()
        XCTAssertEqual(bench.failure(bench.gate.settled())?.code, .store)
        XCTAssertEqual(store.record.credential?.refreshToken, "r1")
        XCTAssertNotNil(try bench.result(bench.gate.settled())?.get())
        XCTAssertEqual(store.record.credential?.refreshToken, "r2")
    }

    func testSettledLeavesThePairThatAnotherProgramHasReplaced() throws {
        let (bench, store) = makeBench()
        store.failWrites(1)
        _ = bench.gate.credential().subscribe { _ in }
        bench.run()
        store.overwrite(stored(7, expiresAt: 5000))
        XCTAssertNotNil(try bench.result(bench.gate.settled())?.get())
        XCTAssertEqual(store.record.credential?.refreshToken, "r7")
        XCTAssertEqual(bench.sentRefreshTokens, ["r1"])
    }

    func testSettledWritesThePairAfterALoginThatCouldNotBeWrittenEither() throws {
        let (bench, store) = makeBench()
        store.failWrites(1)
        _ = bench.gate.credential().subscribe { _ in }
        bench.run()
        store.failWrites(1)
        let login = Ending<Credential>()
        _ = bench.gate.login(pair(9)).subscribe { login.set($0) }
        XCTAssertNotNil(try bench.result(bench.gate.settled())?.get())
        XCTAssertEqual(login.error?.code, .store)
        XCTAssertEqual(store.record.credential?.refreshToken, "r2")
    }

    func testSettledDoesNotFailWithAnEarlierErrorIfSomethingElseHappensAsItBegins() throws {
        let clock = GateBench.clock()
        let store = SlowStore(pair(1, expiresAt: 900), on: clock, delay: .seconds(1))
        let meanwhile = Locked<(@Sendable () -> Void)?>(nil)
        let bench = GateBench(on: clock, store: store) {
            $0.random = {
                meanwhile.withLock { $0.take() }?()
                return 0.5
            }
        }
        store.failWrites(1)
        _ = bench.gate.credential().subscribe { _ in }
        bench.run()
        meanwhile.withLock { [gate = bench.gate!] in $0 = { gate.send(.left(waiter: 99)) } }
        XCTAssertNotNil(try bench.result(bench.gate.settled())?.get())
        XCTAssertEqual(store.record.credential?.refreshToken, "r2")
    }
}
