import FreshetCore
import XCTest

@testable import FreshetAuth

// Failure 25: a wrong clock caused endless refreshes, and after a suspend an expired token stayed in use.
final class RefreshClockTests: XCTestCase {
    func testALifetimeEndsByWhicheverClockIsFirst() {
        var slept = MachineBench(holding: pair(1, expiresAt: 4600))
        slept.wall += 3600
        XCTAssertEqual(slept.send(.requested(waiter: 1, replacing: nil)), ["peek 2"], "the monotonic clock stood still")

        var setBack = MachineBench(holding: pair(1, expiresAt: 4600))
        setBack.pass(3600)
        setBack.wall = 500
        XCTAssertEqual(setBack.send(.requested(waiter: 1, replacing: nil)), ["peek 2"], "the wall clock was set back")
    }

    func testTheDateOfTheServerCorrectsAWrongClock() {
        for wrong: Double in [-86_400, 0, 86_400 * 365] {
            var bench = MachineBench(holding: pair(1))
            bench.wall += wrong
            _ = bench.send(.requested(waiter: 1, replacing: 1))
            _ = bench.found(2, stored(1))
            let response = Credential(accessToken: "a2", refreshToken: "r2", expiresAt: 1600, issuedAt: 1000)
            _ = bench.send(.responded(2, .credential(response)))
            guard case .persist(_, let record)? = bench.last.first else { return XCTFail("nothing to persist") }
            XCTAssertEqual(record.credential?.expiresAt, 1600 + wrong)
            XCTAssertNil(record.credential?.issuedAt)
            XCTAssertEqual(
                bench.send(.persisted(2, nil)), ["close 2", "report refreshed", "release [1] a2"], "\(wrong)")
            bench.pass(280)
            XCTAssertNotNil(bench.machine.ready(at: bench.now))
            bench.pass(320)
            XCTAssertNil(bench.machine.ready(at: bench.now))
        }
    }

    func testTheExpiryOfALoginIsConvertedToTheLocalClock() {
        var bench = MachineBench()
        _ = bench.send(.login(waiter: 1, Credential(accessToken: "a", expiresAt: 90_600, issuedAt: 90_000)))
        _ = bench.found(1, .empty)
        guard case .persist(_, let record)? = bench.last.first else { return XCTFail("nothing to persist") }
        XCTAssertEqual(record.credential?.expiresAt, 1600)
    }

    func testACredentialThatArrivesExpiredDoesNotReplaceAValidOne() {
        var bench = MachineBench(holding: pair(1, expiresAt: 4600))
        bench.pass(3200)
        _ = bench.send(.requested(waiter: 1, replacing: nil))
        _ = bench.found(2, stored(1, expiresAt: 4600))
        _ = bench.send(.responded(2, .credential(pair(2, expiresAt: 4000))))
        XCTAssertEqual(bench.send(.persisted(2, nil)), ["close 2", "report failed"])
        XCTAssertEqual(bench.machine.ready(at: bench.now)?.accessToken, "a1")
        bench.pass(320)
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        XCTAssertEqual(bench.send(.peeked(3, stored(2, expiresAt: 4000))), ["begin 3", "peek 3 later"])
        XCTAssertEqual(bench.found(3, stored(2, expiresAt: 4000)), ["refresh 3 with r2"], "its refresh token is used")
    }
}
