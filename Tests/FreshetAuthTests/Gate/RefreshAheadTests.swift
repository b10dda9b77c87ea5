import FreshetCore
import XCTest

@testable import FreshetAuth

/// Tests refreshing in the background, and how long the old credential is used meanwhile.
final class RefreshAheadTests: XCTestCase {
    /// A credential that lives for an hour: fresh for 45 minutes and more, then refreshed in the background until the last
    /// minute.
    private func hour(_ settings: RefreshGate.Settings = .init()) -> MachineBench {
        MachineBench(holding: pair(1, expiresAt: 4600), settings: settings)
    }

    private func life(_ seconds: Double, random: Double = 0) -> (ahead: Double, due: Double) {
        let now = Timestamp(wall: 1000, monotonic: .init(sinceStart: .zero))
        let life = CredentialLifetime(until: 1000 + seconds, from: now, .init(), random: random)
        return (life.end.wall - life.ahead.wall, life.end.wall - life.due.wall)
    }

    func testTheRefreshWindowsFollowTheRemainingLifetimeUpToHalfOfIt() {
        for (seconds, ahead, due) in [
            (86_400, 3600, 60), (5400, 3600, 60), (5399, 900, 60), (1201, 600.5, 60), (1200, 300, 60),
            (300, 150, 30), (10, 5, 1), (0.5, 0.25, 0.05),
        ] as [(Double, Double, Double)] {
            let life = life(seconds)
            XCTAssertEqual(life.ahead, min(ahead, seconds / 2), accuracy: 1e-6, "\(seconds)")
            XCTAssertEqual(life.due, due, accuracy: 1e-6, "\(seconds)")
            XCTAssertEqual(
                self.life(seconds, random: 1).ahead, (life.ahead + life.due) / 2, accuracy: 1e-6,
                "by random half of the window later at most")
        }
    }

    func testAnExtremeExpiryDoesNotTrap() {
        let now = Timestamp(wall: 1000, monotonic: .init(sinceStart: .zero))
        for end in [1e300, -1e300, .infinity, .greatestFiniteMagnitude] {
            let life = CredentialLifetime(until: end, from: now, .init(), random: 0.5)
            XCTAssertEqual(life.end.isReached(at: now), end < 1000)
        }
        XCTAssertFalse(CredentialLifetime(until: nil, from: now, .init(), random: 0.5).ahead.isReached(at: now))
    }

    func testARequestInTheWindowUsesTheOldCredentialAndRenewsItInTheBackground() {
        var bench = hour()
        bench.random = 0
        bench.pass(2699)
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: nil)), ["release [1] a1"])
        bench.pass(441)
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1", "peek 2"])
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a1", "others need not even ask")
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), ["release [3] a1"])
        XCTAssertEqual(bench.found(2, stored(1, expiresAt: 4600)), ["refresh 2 with r1"])
        _ = bench.send(.responded(2, .credential(pair(2, expiresAt: 9000))))
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a1", "it is not persisted")
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report refreshed"])
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a2")
        XCTAssertEqual(bench.events.map(\.cause), [.ahead])
        XCTAssertEqual(bench.events.map(\.waiters), [0])
    }

    func testARandomNumberChoosesTheStartWithinTheFirstHalfOfTheWindow() {
        for (random, start) in [(0.0, 2700.0), (0.5, 2910), (1, 3120)] {
            var bench = MachineBench()
            bench.random = random
            _ = bench.send(.requested(waiter: 0, replacing: nil))
            _ = bench.found(1, stored(1, expiresAt: 4600))
            bench.pass(start - 0.1)
            XCTAssertNotNil(bench.machine.ready(at: bench.now))
            bench.pass(0.2)
            XCTAssertNil(bench.machine.ready(at: bench.now))
            XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: nil)), ["release [1] a1", "peek 2"])
        }
    }

    func testARequestInTheLastMinuteJoinsTheRefreshThatStartedAhead() {
        var bench = hour()
        bench.pass(3500)
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: nil)), ["release [1] a1", "peek 2"])
        _ = bench.found(2, stored(1, expiresAt: 4600))
        bench.pass(41)
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), [])
        _ = bench.send(.responded(2, .credential(pair(2))))
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report refreshed", "release [2] a2"])
    }

    // Failure 22: a token endpoint that was down logged the user out.
    func testAFailureInTheBackgroundIsReportedAndTheNextTryWaits() {
        var bench = hour()
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        _ = bench.found(2, stored(1, expiresAt: 4600))
        XCTAssertEqual(bench.send(.responded(2, .failed(Trouble()))), ["close 2", "report failed"])
        bench.pass(314)
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a1", "half to all of half the window")
        bench.pass(2)
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1", "peek 3"])
    }

    func testAFailureInTheLastMinuteLeavesTheOldCredentialInUseUntilItExpires() {
        var bench = hour()
        bench.pass(3550)
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: nil)), ["peek 2"])
        _ = bench.found(2, stored(1, expiresAt: 4600))
        XCTAssertEqual(
            bench.send(.responded(2, .failed(Trouble()))), ["close 2", "report failed", "release [1] a1"])
        bench.pass(23)
        XCTAssertEqual(
            bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1", "peek 3"],
            "an endpoint that hangs is not waited for again and again")
        _ = bench.found(3, stored(1, expiresAt: 4600))
        _ = bench.send(.requested(waiter: 4, replacing: 1))
        XCTAssertEqual(bench.send(.requested(waiter: 5, replacing: nil)), [], "now the server has rejected it")
        XCTAssertEqual(
            bench.send(.responded(3, .failed(Trouble()))),
            ["close 3", "report failed", "fail [4, 5] refresh_failed"])
    }

    func testAShortLifetimeLeavesTimeForASecondTry() {
        for seconds in [10.0, 60, 600, 1200] {
            var bench = MachineBench()
            bench.random = 1
            _ = bench.send(.requested(waiter: 0, replacing: nil))
            _ = bench.found(1, stored(1, expiresAt: 1000 + seconds))
            let life = life(seconds, random: 1)
            bench.pass(seconds - life.ahead)
            XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: nil)), ["release [1] a1", "peek 2"])
            _ = bench.found(2, stored(1, expiresAt: 1000 + seconds))
            _ = bench.send(.responded(2, .failed(Trouble())))
            bench.pass(life.ahead - life.due + 0.001)
            XCTAssertEqual(
                bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1", "peek 3"], "\(seconds)")
        }
    }

    func testATokenOfSecondsCausesNoRefreshStorm() {
        var bench = MachineBench(holding: pair(1, expiresAt: 1007))
        var operation = 2
        var released = 1
        while bench.wall < 1120 {
            bench.pass(0.1)
            let notified = bench.send(.requested(waiter: operation, replacing: nil))
            guard notified.contains("peek \(operation)") else { continue }
            guard case .active(let current) = bench.machine.session else { return XCTFail("no session") }
            let old = current.credential
            XCTAssertEqual(
                bench.found(operation, StoredCredential(credential: old, version: old.generation)),
                ["refresh \(operation) with r\(old.generation)"], "a storm at \(bench.wall)")
            _ = bench.send(.responded(operation, .credential(pair(released + 1, expiresAt: bench.wall + 7))))
            _ = bench.send(.persisted(operation, nil))
            released += 1
            operation += 1
        }
        XCTAssertLessThan(bench.events.count, 24)
        XCTAssertTrue(bench.events.contains { $0.cause == .ahead })
    }

    // The gate uses a valid token until its end, and announces at once that a login is required.
    func testARefusalInTheBackgroundIsAnnouncedAndTheOldCredentialIsUsedUntilItExpires() {
        var bench = hour()
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        _ = bench.found(2, stored(1, expiresAt: 4600))
        _ = bench.send(.responded(2, .refused(Trouble())))
        XCTAssertEqual(bench.found(2, stored(1, expiresAt: 4600)), ["persist 2 a1 refused"])
        XCTAssertEqual(
            bench.send(.persisted(2, nil)), ["close 2", "report refused", "announce refused"])
        bench.pass(399)
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a1")
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1"])
        bench.pass(2)
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), ["peek 3"])
        XCTAssertEqual(
            bench.send(.peeked(3, stored(1, expiresAt: 4600, isRefused: true))),
            ["close 3", "fail [3] login_required"], "announced once")
    }

    func testARejectedCredentialAfterARefusedRefreshEndsTheSession() {
        var bench = hour()
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        _ = bench.found(2, stored(1, expiresAt: 4600))
        _ = bench.refuse(2, stored(1, expiresAt: 4600))
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: 1)), ["peek 3"])
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), [])
        XCTAssertEqual(
            bench.send(.peeked(3, stored(1, expiresAt: 4600, isRefused: true))),
            ["close 3", "fail [2, 3] login_required"])
    }

    func testRequestsUseTheOldCredentialDuringARefreshWhereThatIsConfigured() {
        var settings = RefreshGate.Settings()
        settings.whileRefreshing = .useOld
        var bench = hour(settings)
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: 1)), ["peek 2"])
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1"])
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a1")
        XCTAssertNil(bench.machine.ready(replacing: 1, at: bench.now))
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: 1)), [])
        bench.pass(3600)
        XCTAssertEqual(bench.send(.requested(waiter: 4, replacing: nil)), [], "it has ended by the clock")
    }

    func testAFailingStoreDoesNotAffectRequestsWithAValidCredential() {
        var bench = hour()
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(bench.opened(2, .unreadable(StoreError("garbage"))), ["close 2", "report store"])
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1"])
    }

    func testADamagedRecordRequiresALoginWhenTheCredentialHasExpired() {
        let damage = RefreshStateMachine.Opening.unreadable(StoreError("garbage", isUnreadableRecord: true))
        var bench = hour()
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(bench.opened(2, damage), ["close 2", "report store"])
        bench.pass(500)
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(
            bench.opened(3, damage), ["announce noCredential", "close 3", "report store", "fail [2] store"])
    }

    func testARenewalByAnotherProcessIsAdoptedInTheBackground() {
        var bench = hour()
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(
            bench.send(.peeked(2, stored(2, expiresAt: 9000))), ["close 2", "report adopted"])
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a2")
    }
}
