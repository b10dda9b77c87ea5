import FreshetCore
import XCTest

@testable import FreshetAuth

/// The numbers in comments are those of the failures in the article RefreshFailures.
final class RefreshStateMachineTests: XCTestCase {
    func testTheFirstRequestReadsTheStoreAndTheNextDoesNot() {
        var bench = MachineBench()
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: nil)), ["peek 1"])
        XCTAssertEqual(bench.found(1, stored(1)), ["close 1", "release [1] a1"])
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1"])
        XCTAssertEqual(bench.events.map(\.outcome), [], "reading a store is no refresh")
    }

    // Failures 1 and 2: the check and the refresh were not atomic, so several refreshes ran.
    func testManyFailuresOfOneCredentialCauseOneRefreshAndReleaseAllWaiters() {
        var bench = MachineBench(holding: pair(1))
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: 1)), ["peek 2"])
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: 1)), [])
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), [], "it would go with a dead token")
        XCTAssertEqual(bench.found(2, stored(1)), ["refresh 2 with r1"])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(9)))), ["persist 2 a9"])
        XCTAssertEqual(bench.send(.requested(waiter: 4, replacing: nil)), [], "nobody goes before it is persisted")
        XCTAssertEqual(
            bench.send(.persisted(2, nil)), ["close 2", "report refreshed", "release [1, 2, 3, 4] a9"])
        XCTAssertEqual(bench.events.map(\.waiters), [4])
        XCTAssertEqual(bench.events.map(\.cause), [.rejected])
    }

    // Failure 3: a call that ended with 401 after the refresh refreshed again.
    func testALateFailureOfAReplacedCredentialIsReplayedAndNotRefreshed() {
        var bench = MachineBench(holding: pair(1))
        bench.refresh(operation: 2, from: 1)
        XCTAssertEqual(bench.send(.requested(waiter: 5, replacing: 1)), ["release [5] a2"])
    }

    // Failures 4 and 6: a failed refresh did not flush the queue, or left the slot taken.
    func testAFailureIsDeliveredToAllWaitersOnceAndTheNextRequestTriesAgain() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.send(.requested(waiter: 2, replacing: 1))
        _ = bench.found(2, stored(1))
        XCTAssertEqual(
            bench.send(.responded(2, .failed(Trouble()))),
            ["close 2", "report failed", "fail [1, 2] refresh_failed"])
        XCTAssertEqual(
            bench.send(.requested(waiter: 3, replacing: 1)), ["fail [3] refresh_failed"],
            "who comes late with the same credential hears the same")
        XCTAssertEqual(bench.send(.requested(waiter: 4, replacing: nil)), ["peek 3"])
    }

    // Failures 7 and 8: the cancellation of the first caller cancelled the refresh for all callers.
    func testACancelledWaiterLeavesTheRefreshRunning() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.left(waiter: 1))
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), ["persist 2 a2"])
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report refreshed"])
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a2"])
    }

    // Failure 16: a server that always responds with 401 caused an endless loop.
    func testTheSixthRefreshWithinTheWindowIsARefreshStorm() {
        var bench = MachineBench(holding: pair(1))
        for generation in 1...5 {
            bench.refresh(operation: generation + 1, from: generation)
            bench.pass(1)
        }
        _ = bench.send(.requested(waiter: 9, replacing: 6))
        XCTAssertEqual(bench.found(7, stored(6)), ["close 7", "report storm", "fail [9] refresh_storm"])
        XCTAssertEqual(
            bench.send(.requested(waiter: 11, replacing: nil)), ["release [11] a6"], "it was not refused itself")
        bench.pass(25)
        _ = bench.send(.requested(waiter: 10, replacing: 6))
        XCTAssertEqual(bench.found(8, stored(6)), ["refresh 8 with r6"], "the first left the window")
    }

    func testARefreshThatALoginReplacesDuringItsWriteIsReportedToo() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .credential(pair(2))))
        _ = bench.send(.login(waiter: 2, pair(9)))
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report refreshed"])
        _ = bench.found(3, stored(2))
        XCTAssertEqual(bench.send(.persisted(3, nil)), ["close 3", "release [1, 2] a9", "logged in"])
    }

    func testACredentialOfAnotherProcessIsAdoptedWithoutTheLockAndARefreshTakesTheLock() {
        var bench = MachineBench(holding: pair(1))
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: 1)), ["peek 2"])
        XCTAssertEqual(
            bench.send(.peeked(2, stored(2))), ["close 2", "report adopted", "release [1] a2"])
        _ = bench.send(.requested(waiter: 2, replacing: 2))
        XCTAssertEqual(bench.send(.peeked(3, stored(2))), ["begin 3", "peek 3 later"], "nobody has refreshed it")
        _ = bench.send(.overdue(3))
        _ = bench.send(.requested(waiter: 3, replacing: nil))
        XCTAssertEqual(
            bench.send(.peeked(4, stored(3, expiresAt: 999))), ["begin 4", "peek 4 later"], "it has ended too")
        _ = bench.send(.overdue(4))
        _ = bench.send(.requested(waiter: 4, replacing: nil))
        XCTAssertEqual(bench.send(.peeked(5, nil)), ["begin 5", "peek 5 later"])
        _ = bench.send(.overdue(5))
        _ = bench.send(.requested(waiter: 5, replacing: nil))
        XCTAssertEqual(
            bench.send(.peeked(6, stored(3, isRefused: true))),
            ["close 6", "announce refused", "fail [5] login_required"])
    }

    // Failures 18 and 19: a caller that had waited for the lock refreshed with a token that it had read before.
    func testACredentialThatAnotherProcessRefreshedIsAdoptedAndDoesNotCount() {
        var bench = MachineBench(holding: pair(1))
        for generation in 1...8 {
            _ = bench.send(.requested(waiter: generation, replacing: generation))
            XCTAssertEqual(
                bench.found(generation + 1, stored(generation + 1)),
                ["close \(generation + 1)", "report adopted", "release [\(generation)] a\(generation + 1)"])
        }
    }

    func testAnExpiredCredentialOfAnotherProcessIsRefreshed() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        XCTAssertEqual(bench.found(2, stored(2, expiresAt: 999)), ["refresh 2 with r2"])
    }

    // Failure 21: a rotated refresh token was not stored.
    func testAnUnwrittenCredentialIsWrittenBeforeAnotherRefresh() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .credential(pair(2))))
        XCTAssertEqual(
            bench.send(.persisted(2, StoreError("full"))), ["close 2", "report store", "fail [1] store"])
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.found(3, stored(1)), ["persist 3 a2"])
        XCTAssertEqual(bench.send(.persisted(3, nil)), ["close 3", "report refreshed", "release [2] a2"])
    }

    // Failure 25: a wrong clock caused endless refreshes.
    func testANewCredentialThatHasAlreadyExpiredIsAFailureAndItsRefreshTokenIsKept() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .credential(pair(2, expiresAt: 1000))))
        XCTAssertEqual(
            bench.send(.persisted(2, nil)), ["close 2", "report failed", "fail [1] refresh_failed"])
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.found(3, stored(2, expiresAt: 1000)), ["refresh 3 with r2"])
    }

    func testTheRefreshTokenOfAnUnusableResponseIsKeptAndItsAccessTokenIsNotUsed() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .credential(pair(2, expiresAt: 9000), unusable: Trouble())))
        XCTAssertEqual(
            bench.send(.persisted(2, nil)), ["close 2", "report failed", "fail [1] refresh_failed"])
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.found(3, stored(2, expiresAt: 1000)), ["refresh 3 with r2"])
    }

    /// The disk can be full for longer than the token lives.
    func testATokenThatExpiresBeforeItCanBeWrittenIsRefreshedAtOnce() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .credential(pair(2, expiresAt: 1060))))
        XCTAssertEqual(bench.send(.persisted(2, Trouble())), ["close 2", "report store", "fail [1] store"])
        bench.pass(100)
        _ = bench.send(.requested(waiter: 2, replacing: 1))
        XCTAssertEqual(bench.found(3, stored(1)), ["persist 3 a2"])
        XCTAssertEqual(bench.send(.persisted(3, nil)), ["refresh 3 with r2"])
        XCTAssertEqual(bench.send(.responded(3, .credential(pair(3)))), ["persist 3 a3"])
        XCTAssertEqual(bench.send(.persisted(3, nil)), ["close 3", "report refreshed", "release [2] a3"])
    }

    func testAResponseWithoutARefreshTokenKeepsTheOldOne() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .credential(Credential(accessToken: "a2"))))
        guard case .persist(_, let record)? = bench.last.first else { return XCTFail("nothing to persist") }
        XCTAssertEqual(record.credential?.refreshToken, "r1")
        XCTAssertEqual(record.credential?.generation, 2)
    }

    private func overdue() -> MachineBench {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.send(.forced(waiter: 2))
        _ = bench.found(2, stored(1))
        XCTAssertEqual(bench.send(.forced(waiter: 3)), [])
        XCTAssertEqual(
            bench.send(.overdue(2)), ["extend 2", "fail [1, 2] refresh_failed", "fail [3] refresh_failed"])
        XCTAssertTrue(bench.machine.isExchanging)
        return bench
    }

    func testTheLateResponseOfAHungRefreshIsStoredAndServesLaterWaiters() {
        var bench = overdue()
        XCTAssertEqual(bench.send(.requested(waiter: 4, replacing: 1)), [], "nothing else is asked")
        XCTAssertEqual(bench.send(.requested(waiter: 5, replacing: nil)), [])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), ["persist 2 a2"])
        XCTAssertEqual(
            bench.send(.persisted(2, nil)), ["close 2", "report refreshed", "release [4, 5] a2"])
    }

    func testAHungRefreshWithoutAResponseEndsAndLaterWaitersRefreshAgain() {
        var bench = overdue()
        XCTAssertEqual(bench.send(.requested(waiter: 4, replacing: 1)), [])
        XCTAssertEqual(bench.send(.overdue(2)), ["close 2", "report failed", "peek 3"])
        XCTAssertEqual(bench.found(3, stored(1)), ["refresh 3 with r1"])
        XCTAssertEqual(bench.send(.responded(3, .credential(pair(2)))), ["persist 3 a2"])
        XCTAssertEqual(bench.send(.persisted(3, nil)), ["close 3", "report refreshed", "release [4] a2"])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), [])
    }

    func testAHungRefreshThatFailsLateDoesNotFailLaterWaiters() {
        var bench = overdue()
        XCTAssertEqual(bench.send(.requested(waiter: 4, replacing: 1)), [])
        XCTAssertEqual(bench.send(.responded(2, .failed(Trouble()))), ["close 2", "report failed", "peek 3"])
        bench = overdue()
        XCTAssertEqual(bench.send(.responded(2, .failed(Trouble()))), ["close 2", "report failed"])
    }

    func testTheOldCredentialIsUsedWhileARenewalHangs() {
        var bench = MachineBench(holding: pair(1, expiresAt: 2000))
        bench.pass(900)
        XCTAssertEqual(bench.send(.requested(waiter: 1, replacing: nil)).first, "release [1] a1")
        _ = bench.found(2, stored(1, expiresAt: 2000))
        bench.pass(30)
        XCTAssertEqual(bench.send(.overdue(2)), ["extend 2"])
        bench.pass(50)
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: nil)), ["release [2] a1"])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), ["persist 2 a2"])
    }

    func testALogoutDuringAnOverdueRefreshDiscardsItsResponse() {
        var bench = overdue()
        XCTAssertEqual(bench.send(.logout(waiter: 4)), ["replace 2 by 3", "open 3"])
        XCTAssertEqual(bench.found(3, stored(1)), ["persist 3 nothing"])
        XCTAssertEqual(
            bench.send(.persisted(3, nil)),
            ["close 3", "announce loggedOut", "release [4] nothing", "interrupt login_required"])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), ["drop 2", "report discarded"])
    }
}

extension MachineBench {
    /// Runs one whole refresh from the credential of `generation` to the next one.
    mutating func refresh(operation: Int, from generation: Int) {
        _ = send(.requested(waiter: 1000 + operation, replacing: generation))
        _ = found(operation, stored(generation))
        _ = send(.responded(operation, .credential(pair(generation + 1))))
        _ = send(.persisted(operation, nil))
    }
}
