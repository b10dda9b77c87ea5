import FreshetCore
import XCTest

@testable import FreshetAuth

/// Tests the beginning and the end of a session. The numbers in comments are those of the failures in the article
/// RefreshFailures.
final class RefreshStateMachineSessionTests: XCTestCase {
    // Failure 9: the response of a refresh arrived after the logout and signed the user in again.
    func testALogoutDiscardsALateResponse() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        XCTAssertEqual(bench.send(.logout(waiter: 2)), ["replace 2 by 3", "open 3"])
        XCTAssertEqual(bench.found(3, stored(1)), ["persist 3 nothing"])
        XCTAssertEqual(
            bench.send(.persisted(3, nil)),
            [
                "close 3", "announce loggedOut", "fail [1] login_required", "release [2] nothing",
                "interrupt login_required",
            ])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), ["drop 2", "report discarded"])
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), ["peek 4"])
        XCTAssertEqual(
            bench.found(4, StoredCredential(version: 2)), ["close 4", "fail [3] login_required"], "announced once")
    }

    func testALoginDiscardsALateResponseAndReleasesTheWaiters() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.login(waiter: 2, pair(7)))
        XCTAssertEqual(bench.found(3, stored(1)), ["persist 3 a7"])
        XCTAssertEqual(bench.send(.responded(2, .refused(Trouble()))), [])
        XCTAssertEqual(
            bench.send(.persisted(3, nil)), ["close 3", "release [1, 2] a7", "logged in", "drop 2", "report discarded"])
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.generation, 2)
    }

    /// Requests of one account must not go out with the credential of another one, even if they have not been sent before.
    func testALoginOfAnotherAccountFailsTheWaitersOfTheFirst() {
        func login(_ generation: Int, of subject: String) -> Credential {
            var credential = pair(generation)
            credential.details.idToken = LoginBench.idToken(subject)
            credential.details.loginID = "\(generation)"
            return credential
        }
        for (subject, expected) in [
            ("bert", ["close 3", "fail [1, 2] login_required", "release [3] a7"]),
            ("anna", ["close 3", "release [1, 3] a7"]),
        ] {
            var bench = MachineBench(holding: login(1, of: "anna"))
            _ = bench.send(.requested(waiter: 1, replacing: 1))
            let record = StoredCredential(credential: login(1, of: "anna"), version: 1)
            _ = bench.found(2, record)
            _ = bench.send(.forced(waiter: 2))
            _ = bench.send(.login(waiter: 3, login(7, of: subject)))
            XCTAssertEqual(bench.found(3, record), ["persist 3 a7"])
            XCTAssertEqual(Array(bench.send(.persisted(3, nil)).prefix(expected.count)), expected, subject)
        }
    }

    /// The turn of a transaction can come while another operation takes the transaction over, and is reported to that one late.
    func testALateTurnDoesNotOpenTheStoreAgain() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.login(waiter: 1, pair(7)))
        XCTAssertEqual(bench.send(.began(2)), ["open 2"])
        XCTAssertEqual(bench.send(.opened(2, .found(stored(1)))), ["persist 2 a7"])
        XCTAssertEqual(bench.send(.began(2)), [])
    }

    func testAPendingLogoutStopsTheUseOfTheCredential() {
        var bench = MachineBench(holding: pair(1, expiresAt: 4600))
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        _ = bench.found(2, stored(1, expiresAt: 4600))
        _ = bench.send(.responded(2, .credential(pair(2))))
        XCTAssertEqual(bench.send(.logout(waiter: 2)), ["begin 3"])
        XCTAssertNil(bench.machine.ready(at: bench.now))
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), [])
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report refreshed"])
        _ = bench.found(3, stored(2))
        XCTAssertTrue(bench.send(.persisted(3, nil)).contains("fail [3] login_required"))
    }

    // Failures 21 and 10: the server refused a sibling the token that this program had spent, and the sibling marked the
    // record.
    func testARefusalMarkDoesNotEndASessionWhoseNewPairIsUnwritten() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .credential(pair(2))))
        _ = bench.send(.persisted(2, StoreError("full")))
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.send(.peeked(3, stored(1, isRefused: true))), ["begin 3", "peek 3 later"])
        XCTAssertEqual(bench.found(3, stored(1, isRefused: true)), ["persist 3 a2"])
        XCTAssertEqual(bench.send(.persisted(3, nil)), ["close 3", "report refreshed", "release [2] a2"])
    }

    // The store was removed and made again, so that its versions began anew.
    func testALoginWithTheVersionOfTheEndedSessionIsDetected() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.refuse(2, stored(1))
        let login = StoredCredential(credential: Credential(accessToken: "new"), version: 1)
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.send(.peeked(3, login)), ["close 3", "release [2] new"])
    }

    func testTheLargestVersionHasASuccessor() {
        var bench = MachineBench(holding: pair(.max))
        _ = bench.send(.requested(waiter: 1, replacing: .max))
        _ = bench.found(2, stored(.max))
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), ["persist 2 a2"])
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report refreshed", "release [1] a2"])
        _ = bench.send(.login(waiter: 2, pair(7)))
        XCTAssertEqual(bench.found(3, stored(.max)), ["persist 3 a7"])
    }

    // Failures 10 and 11: a late refusal cleared a newer session, or a refused token stayed in use.
    func testARefusalMarksTheStoreEndsTheSessionAndIsAnnouncedOnceUntilTheNextLogin() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        XCTAssertEqual(bench.send(.responded(2, .refused(Trouble()))), ["open 2"])
        XCTAssertEqual(bench.found(2, stored(1)), ["persist 2 a1 refused"])
        XCTAssertEqual(
            bench.send(.persisted(2, nil)),
            ["close 2", "report refused", "announce refused", "fail [1] login_required"])
        XCTAssertEqual(bench.send(.requested(waiter: 2, replacing: 1)), ["fail [2] login_required"])
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), ["peek 3"])
        XCTAssertEqual(bench.found(3, stored(1, isRefused: true)), ["close 3", "fail [3] login_required"])

        _ = bench.send(.requested(waiter: 4, replacing: nil))
        XCTAssertEqual(
            bench.found(4, stored(2)), ["close 4", "release [4] a2"], "a login in another program is seen")
        _ = bench.send(.requested(waiter: 5, replacing: 2))
        _ = bench.found(5, stored(2))
        XCTAssertTrue(bench.refuse(5, stored(2)).contains("announce refused"), "armed again")
    }

    func testANewProcessDoesNotRefreshAMarkedStore() {
        var bench = MachineBench()
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(
            bench.found(1, stored(4, isRefused: true)), ["close 1", "announce refused", "fail [1] login_required"])
    }

    func testAnUnreadableStoreIsAnErrorAndOnlyALoginOverwritesIt() {
        var bench = MachineBench()
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(
            bench.opened(1, .unreadable(StoreError("garbage"))), ["close 1", "report store", "fail [1] store"])
        _ = bench.send(.logout(waiter: 2))
        XCTAssertEqual(
            bench.opened(2, .unreadable(StoreError("garbage"))), ["close 2", "fail [2] store"])
        _ = bench.send(.login(waiter: 3, pair(1)))
        XCTAssertEqual(bench.opened(3, .unreadable(StoreError("garbage"))), ["persist 3 a1"])
    }

    func testADamagedRecordRequiresALoginOnce() {
        let damage = RefreshStateMachine.Opening.unreadable(StoreError("garbage", isUnreadableRecord: true))
        var bench = MachineBench()
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(
            bench.opened(1, damage), ["announce noCredential", "close 1", "report store", "fail [1] store"])
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.opened(2, damage), ["close 2", "report store", "fail [2] store"], "announced once")
        _ = bench.send(.login(waiter: 3, pair(1)))
        XCTAssertEqual(bench.opened(3, damage), ["persist 3 a1"])
        _ = bench.send(.persisted(3, nil))
        _ = bench.send(.requested(waiter: 4, replacing: 1))
        XCTAssertTrue(bench.opened(4, damage).contains("announce noCredential"), "armed again")
    }

    func testADamagedRecordRequiresNoLoginWhereNobodyCanLogIn() {
        var bench = MachineBench(settings: .withoutLogins)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(
            bench.opened(1, .unreadable(StoreError("garbage", isUnreadableRecord: true))),
            ["close 1", "report store", "fail [1] store"])
    }

    func testAnEmptyStoreRequestsACredentialAndOtherwiseRequiresALogin() {
        var bench = MachineBench()
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        XCTAssertEqual(bench.found(1, .empty), ["refresh 1 with nothing"])
        _ = bench.send(.responded(1, .refused(Trouble())))
        XCTAssertEqual(
            bench.found(1, .empty),
            ["close 1", "report noCredential", "announce noCredential", "fail [1] login_required"])
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.found(2, .empty), ["close 2", "fail [2] login_required"])
    }

    func testWithoutAPossibleLoginARefusalIsNotMarkedAndTriedAgain() {
        var bench = MachineBench(holding: pair(1), settings: .withoutLogins)
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        XCTAssertEqual(
            bench.send(.responded(2, .refused(Trouble()))),
            ["close 2", "report refused", "announce refused", "fail [1] login_required"])
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.found(3, stored(1)), ["refresh 3 with r1"])
        XCTAssertEqual(
            bench.send(.responded(3, .refused(Trouble()))),
            ["close 3", "report refused", "fail [2] login_required"])
    }

    // Failure 20: one user got the credential of another.
    func testAWaiterFromBeforeALogoutDoesNotReceiveTheCredentialOfTheNextLogin() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        _ = bench.found(2, stored(1))
        XCTAssertEqual(bench.send(.forced(waiter: 2)), [])
        _ = bench.send(.logout(waiter: 3))
        _ = bench.send(.login(waiter: 4, pair(5)))
        _ = bench.send(.requested(waiter: 5, replacing: nil))
        _ = bench.found(3, stored(1))
        XCTAssertEqual(
            bench.send(.persisted(3, nil)),
            [
                "close 3", "announce loggedOut", "fail [1, 2] login_required", "release [3] nothing",
                "interrupt login_required",
            ])
        _ = bench.found(4, StoredCredential(version: 2))
        XCTAssertEqual(bench.send(.persisted(4, nil)), ["close 4", "release [5, 4] a5", "logged in"])
    }

    func testLoginsAndLogoutsRunInOrderAndWaitersReceiveTheLastResult() {
        var bench = MachineBench(holding: pair(1))
        XCTAssertEqual(bench.send(.logout(waiter: 1)), ["begin 2"])
        XCTAssertEqual(bench.send(.login(waiter: 2, pair(5))), ["begin 3"])
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), [], "the old credential is on its way out")
        _ = bench.found(2, stored(1))
        XCTAssertEqual(
            bench.send(.persisted(2, nil)),
            ["close 2", "announce loggedOut", "release [1] nothing", "interrupt login_required"])
        _ = bench.found(3, StoredCredential(version: 2))
        XCTAssertEqual(bench.send(.persisted(3, nil)), ["close 3", "release [3, 2] a5", "logged in"])
    }

    func testARefreshThatAFailedLoginHadReplacedGoesOnBeforeALoginThatKeepsItsResult() {
        var bench = MachineBench(holding: pair(1))
        _ = bench.send(.requested(waiter: 1, replacing: 1))
        XCTAssertEqual(bench.found(2, stored(1)), ["refresh 2 with r1"])
        XCTAssertEqual(bench.send(.login(waiter: 2, pair(9))), ["replace 2 by 3", "open 3"])
        XCTAssertEqual(bench.send(.login(waiter: 3, pair(8), replacing: .unlessWorking)), ["begin 4"])
        _ = bench.found(3, stored(1))
        XCTAssertEqual(bench.send(.persisted(3, Trouble())), ["replace 3 by 2", "drop 3", "fail [2] store"])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(2)))), ["persist 2 a2"])
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report refreshed"])
        XCTAssertEqual(bench.found(4, stored(2)), ["close 4", "release [3] a2", "peek 5"])
        XCTAssertEqual(bench.send(.peeked(5, stored(2))), ["begin 5", "peek 5 later"])
        XCTAssertEqual(bench.found(5, stored(2)), ["close 5", "release [1] a2"])
    }

    /// The refresh token of the stored credential is spent, so adopting that credential would end the session.
    func testAPairThatCouldNotBeWrittenIsNotReplacedByTheOneThatItWasRefreshedFrom() {
        var bench = MachineBench(holding: pair(4, expiresAt: 4600))
        _ = bench.send(.forced(waiter: 1))
        XCTAssertEqual(bench.found(2, stored(5, expiresAt: 4600)), ["refresh 2 with r5"])
        XCTAssertEqual(bench.send(.responded(2, .credential(pair(6)))), ["persist 2 a6"])
        _ = bench.send(.persisted(2, Trouble()))
        XCTAssertEqual(bench.send(.settling), ["peek 3"])
        XCTAssertEqual(bench.found(3, stored(5, expiresAt: 4600)), ["persist 3 a6"])
    }

    func testAPairThatAnotherProgramHasReplacedIsMissedByNobodyAfterALaterFailure() throws {
        var bench = MachineBench(holding: pair(1, expiresAt: 4600))
        _ = bench.send(.forced(waiter: 1))
        _ = bench.found(2, stored(1, expiresAt: 4600))
        _ = bench.send(.responded(2, .credential(pair(2))))
        _ = bench.send(.persisted(2, Trouble()))
        _ = bench.send(.requested(waiter: 2, replacing: 1))
        let adopted = bench.send(.peeked(3, stored(7, expiresAt: 4600)))
        XCTAssertTrue(adopted.contains("release [2] a7"), "\(adopted)")
        _ = bench.send(.forced(waiter: 3))
        _ = bench.opened(4, .unlockable(Trouble()))
        XCTAssertNoThrow(try XCTUnwrap(bench.machine.settled).get())
    }
}

extension MachineBench {
    /// Refuses the refresh of the stored credential. The store has not changed meanwhile.
    mutating func refuse(_ operation: Int, _ record: StoredCredential) -> [String] {
        _ = send(.responded(operation, .refused(Trouble())))
        _ = found(operation, record)
        return send(.persisted(operation, nil))
    }
}
