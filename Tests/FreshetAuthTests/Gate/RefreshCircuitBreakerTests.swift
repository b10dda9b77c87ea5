import FreshetCore
import FreshetHTTP
import XCTest

@testable import FreshetAuth

/// Tests that the gate stops refreshing at an endpoint that is down.
final class RefreshCircuitBreakerTests: XCTestCase {
    /// Sends one request that needs a refresh, and fails that refresh.
    private func fail(_ bench: inout MachineBench, _ operation: Int, retryAfter: Duration? = nil) -> [String] {
        _ = bench.send(.requested(waiter: operation, replacing: nil))
        XCTAssertEqual(bench.send(.peeked(operation, stored(1))), ["begin \(operation)", "peek \(operation) later"])
        XCTAssertEqual(bench.found(operation, stored(1)), ["refresh \(operation) with r1"])
        return bench.send(.responded(operation, .failed(Trouble(), retryAfter: retryAfter)))
    }

    private func rejected() -> MachineBench {
        var bench = MachineBench(holding: pair(1))
        bench.random = 1
        _ = bench.send(.requested(waiter: 2, replacing: 1))
        _ = bench.found(2, stored(1))
        _ = bench.send(.responded(2, .failed(Trouble())))
        return bench
    }

    func testFiveFailuresInARowPauseRefreshesForASecondThenForTwo() {
        var bench = rejected()
        for operation in 3...6 { _ = fail(&bench, operation) }
        var operation = 7
        for pause in [1.0, 2, 4, 8, 16, 30, 30] {
            bench.pass(pause - 0.01)
            _ = bench.send(.requested(waiter: operation, replacing: nil))
            XCTAssertEqual(
                bench.send(.peeked(operation, stored(1))),
                ["close \(operation)", "fail [\(operation)] refresh_failed"],
                "at once, and without the lock")
            XCTAssertEqual(bench.failures.last?.clientError.recoverySuggestion, "try again in 1 s")
            bench.pass(0.02)
            operation += 1
            _ = fail(&bench, operation)
            operation += 1
        }
        XCTAssertEqual(bench.events.count, 12, "what was not asked is no refresh")
    }

    func testASuccessClosesTheBreaker() {
        var bench = rejected()
        for operation in 3...6 { _ = fail(&bench, operation) }
        bench.pass(1)
        _ = bench.send(.requested(waiter: 7, replacing: nil))
        _ = bench.found(7, stored(1))
        _ = bench.send(.responded(7, .credential(pair(2))))
        XCTAssertEqual(bench.send(.persisted(7, nil)), ["close 7", "report refreshed", "release [7] a2"])
        _ = bench.send(.requested(waiter: 8, replacing: 2))
        _ = bench.found(8, stored(2))
        _ = bench.send(.responded(8, .failed(Trouble())))
        _ = bench.send(.requested(waiter: 9, replacing: nil))
        XCTAssertEqual(bench.found(9, stored(2)), ["refresh 9 with r2"])
    }

    func testACredentialOfAnotherProcessIsAdoptedDuringThePause() {
        var bench = rejected()
        for operation in 3...6 { _ = fail(&bench, operation) }
        _ = bench.send(.requested(waiter: 7, replacing: nil))
        XCTAssertEqual(bench.send(.peeked(7, stored(2))), ["close 7", "report adopted", "release [7] a2"])
    }

    func testRetryAfterIsRespectedAndAValidCredentialIsUsedMeanwhile() {
        var bench = MachineBench(holding: pair(1, expiresAt: 4600))
        bench.pass(3550)
        _ = bench.send(.requested(waiter: 2, replacing: nil))
        _ = bench.found(2, stored(1, expiresAt: 4600))
        XCTAssertEqual(
            bench.send(.responded(2, .failed(Trouble(), retryAfter: .seconds(120)))),
            ["close 2", "report failed", "release [2] a1"])
        bench.pass(49)
        XCTAssertEqual(bench.send(.requested(waiter: 3, replacing: nil)), ["release [3] a1"])
        bench.pass(2)
        XCTAssertEqual(bench.send(.requested(waiter: 4, replacing: nil)), ["peek 3"])
        XCTAssertEqual(
            bench.send(.peeked(3, stored(1, expiresAt: 4600))), ["close 3", "fail [4] refresh_failed"])
        XCTAssertEqual(bench.failures.last?.clientError.recoverySuggestion, "try again in 69 s")
        bench.pass(69)
        _ = bench.send(.requested(waiter: 5, replacing: nil))
        XCTAssertEqual(bench.found(4, stored(1, expiresAt: 4600)), ["refresh 4 with r1"])
    }

    func testALongRetryAfterIsCappedAtAnHour() {
        var bench = rejected()
        _ = fail(&bench, 3, retryAfter: .seconds(31_536_000))
        bench.pass(3599)
        _ = bench.send(.requested(waiter: 4, replacing: nil))
        XCTAssertEqual(bench.send(.peeked(4, stored(1))), ["close 4", "fail [4] refresh_failed"])
        bench.pass(1)
        _ = fail(&bench, 5)
    }

    func testACredentialOfAnotherProcessResetsTheCountOfFailures() {
        var bench = rejected()
        for operation in 3...5 { _ = fail(&bench, operation) }
        _ = bench.send(.requested(waiter: 6, replacing: nil))
        _ = bench.found(6, stored(2))
        for operation in 7...10 {
            _ = bench.send(.requested(waiter: operation, replacing: 2))
            bench.pass(30)
            if operation > 7 { _ = bench.send(.requested(waiter: operation + 100, replacing: 2)) }
            XCTAssertEqual(bench.found(operation, stored(2)), ["refresh \(operation) with r2"])
            _ = bench.send(.responded(operation, .failed(Trouble())))
        }
    }

    /// A login that cannot be written resumes the probe, whose outcome then does not count.
    func testASupersededProbeAdmitsAnother() {
        var bench = rejected()
        for operation in 3...6 { _ = fail(&bench, operation) }
        bench.pass(1)
        _ = bench.send(.requested(waiter: 7, replacing: nil))
        XCTAssertEqual(bench.found(7, stored(1)), ["refresh 7 with r1"])
        _ = bench.send(.login(waiter: 8, pair(9)))
        _ = bench.send(.opened(8, .found(stored(1))))
        _ = bench.send(.persisted(8, nil))
        _ = bench.send(.requested(waiter: 9, replacing: 2))
        let written = StoredCredential(credential: pair(9), version: 2)
        XCTAssertEqual(bench.found(9, written), ["refresh 9 with r9"])
    }

    func testFailuresOfTheStoreDoNotCountForTheEndpoint() {
        var bench = rejected()
        for operation in 3...19 {
            _ = bench.send(.requested(waiter: operation, replacing: nil))
            _ = bench.opened(operation, .unreadable(StoreError("garbage")))
        }
        _ = fail(&bench, 20)
    }
}
