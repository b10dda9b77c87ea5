import FreshetCore
import XCTest

@testable import FreshetHTTP

final class CircuitBreakerTests: XCTestCase {
    private func at(_ seconds: Double) -> Instant { Instant(sinceStart: .seconds(seconds)) }

    private func settings(_ change: (inout CircuitBreaker.Settings) -> Void = { _ in }) -> CircuitBreaker.Settings {
        var settings = CircuitBreaker.Settings()
        settings.minimumCalls = 4
        change(&settings)
        return settings
    }

    /// Admits and settles a call; `nil` if it is refused.
    @discardableResult
    private func call(
        _ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.Outcome, at seconds: Double, lasting: Double = 0
    ) -> Bool {
        guard case .admitted(let permit) = breaker.admit(at: at(seconds), random: 1) else { return false }
        breaker.settle(permit, outcome, after: .seconds(lasting), at: at(seconds), random: 1)
        return true
    }

    func testAShareOfFailuresOpensTheBreakerFromAMinimumOfCalls() {
        var breaker = CircuitBreaker(settings())
        for _ in 0..<3 { call(&breaker, .failure, at: 0) }
        XCTAssertFalse(breaker.isOpen(at: at(0)))
        call(&breaker, .failure, at: 0)
        XCTAssertTrue(breaker.isOpen(at: at(4.9)))
        XCTAssertFalse(call(&breaker, .success, at: 4.9))
        XCTAssertEqual(breaker.admit(at: at(4), random: 1), .refused(for: .seconds(1)))
        var even = CircuitBreaker(settings { $0.failureRate = 0.65 })
        for number in 0..<20 { call(&even, number.isMultiple(of: 2) ? .failure : .success, at: 0) }
        XCTAssertFalse(even.isOpen(at: at(0)))
    }

    func testAWindowOfFewerCallsThanTheMinimumCountsWhenItIsFull() {
        for slowCall in [nil, Duration.seconds(2)] {
            var breaker = CircuitBreaker(
                settings { ($0.window, $0.minimumCalls, $0.slowCall) = (.calls(10), 20, slowCall) })
            for _ in 0..<9 { call(&breaker, slowCall == nil ? .failure : .success, at: 0, lasting: 2) }
            XCTAssertFalse(breaker.isOpen(at: at(0)))
            call(&breaker, slowCall == nil ? .failure : .success, at: 0, lasting: 2)
            XCTAssertTrue(breaker.isOpen(at: at(0)))
        }
    }

    func testNumbersBelowOneCountAsOne() {
        var breaker = CircuitBreaker(
            settings { ($0.consecutiveFailures, $0.window, $0.probes, $0.failureRate) = (0, .calls(0), 0, 0) })
        for _ in 0..<5 { call(&breaker, .success, at: 0) }
        XCTAssertFalse(breaker.isOpen(at: at(0)), "no call has failed")
        call(&breaker, .failure, at: 0)
        XCTAssertTrue(breaker.isOpen(at: at(0)))
        XCTAssertTrue(call(&breaker, .success, at: 5), "the probe is admitted")
        XCTAssertTrue(call(&breaker, .success, at: 5))
        XCTAssertTrue(call(&breaker, .success, at: 5))
    }

    func testConsecutiveFailuresOpenTheBreaker() {
        var breaker = CircuitBreaker(settings { ($0.consecutiveFailures, $0.failureRate) = (3, nil) })
        for outcome in [CircuitBreaker.Outcome.failure, .failure, .success, .failure, .failure] {
            call(&breaker, outcome, at: 0)
        }
        XCTAssertFalse(breaker.isOpen(at: at(0)))
        call(&breaker, .failure, at: 0)
        XCTAssertTrue(breaker.isOpen(at: at(0)))
    }

    func testACallThatIsCancelledAfterTheTimeOfASlowCallIsSlowAndNoSuccess() {
        var breaker = CircuitBreaker(settings { $0.slowCall = .seconds(2) })
        for seconds in [1.0, 1, 1, 2, 2, 2] { call(&breaker, .none, at: 0, lasting: seconds) }
        XCTAssertFalse(breaker.isOpen(at: at(0)))
        call(&breaker, .none, at: 0, lasting: 2)
        XCTAssertTrue(breaker.isOpen(at: at(0)))
        call(&breaker, .none, at: 10, lasting: 1)
        XCTAssertFalse(breaker.isOpen(at: at(10)))
        call(&breaker, .none, at: 10, lasting: 2)
        XCTAssertTrue(breaker.isOpen(at: at(10)), "the probe was slow")
        var inARow = CircuitBreaker(settings { ($0.consecutiveFailures, $0.slowCall) = (2, .seconds(2)) })
        call(&inARow, .failure, at: 0)
        call(&inARow, .none, at: 0, lasting: 2)
        call(&inARow, .failure, at: 0)
        XCTAssertTrue(inARow.isOpen(at: at(0)))
    }

    func testOneFailureAmongCancelledSlowCallsDoesNotOpen() {
        var breaker = CircuitBreaker(
            settings { ($0.slowCall, $0.slowCallRate, $0.minimumCalls) = (.seconds(2), 1, 9) })
        for _ in 0..<8 { call(&breaker, .none, at: 0, lasting: 2) }
        call(&breaker, .failure, at: 0)
        XCTAssertFalse(breaker.isOpen(at: at(0)), "one call has a result")
        for _ in 0..<3 { call(&breaker, .success, at: 0) }
        for _ in 0..<4 { call(&breaker, .failure, at: 0) }
        XCTAssertFalse(breaker.isOpen(at: at(0)), "eight calls have a result")
        call(&breaker, .failure, at: 0)
        XCTAssertTrue(breaker.isOpen(at: at(0)), "six of nine results, whatever was cancelled")
    }

    /// A cancelled call in each ten kept a window of ten calls below the minimum for ever.
    func testAFullWindowWithACancelledSlowCallOpensByFailures() {
        var breaker = CircuitBreaker(
            settings { ($0.window, $0.minimumCalls, $0.slowCall) = (.calls(10), 20, .seconds(2)) })
        call(&breaker, .none, at: 0, lasting: 2)
        for _ in 0..<8 { call(&breaker, .failure, at: 0) }
        XCTAssertFalse(breaker.isOpen(at: at(0)))
        call(&breaker, .failure, at: 0)
        XCTAssertTrue(breaker.isOpen(at: at(0)))
    }

    func testFailuresOutsideTheWindowAreNotCounted() {
        var byCount = CircuitBreaker(settings { $0.window = .calls(4) })
        for _ in 0..<3 { call(&byCount, .failure, at: 0) }
        var byTime = CircuitBreaker(settings { $0.window = .time(.seconds(10)) })
        for _ in 0..<3 { call(&byTime, .failure, at: 0) }
        for _ in 0..<2 { call(&byTime, .success, at: 20) }
        call(&byTime, .failure, at: 20)
        XCTAssertFalse(byTime.isOpen(at: at(20)))
    }

    func testTheSharesAreThoseOfTheLastCallsAfterManyCalls() {
        for window in [CircuitBreaker.Settings.Window.calls(4), .time(.seconds(3.5))] {
            var breaker = CircuitBreaker(settings { ($0.window, $0.failureRate) = (window, 0.5) })
            for second in 0..<100 { call(&breaker, second % 4 == 0 ? .failure : .success, at: Double(second)) }
            XCTAssertFalse(breaker.isOpen(at: at(99)))
            call(&breaker, .failure, at: 100)
            XCTAssertFalse(breaker.isOpen(at: at(100)), "one of four")
            call(&breaker, .failure, at: 101)
            XCTAssertTrue(breaker.isOpen(at: at(101)), "two of four")
        }
    }

    /// Each call was an entry: 38 MB for 20,000 calls per second over a minute.
    func testTheMemoryOfAWindowOfTimeDoesNotGrowWithTheNumberOfCalls() {
        var record = CallRecord(.time(.seconds(60)))
        for number in 0..<100_000 { record.add(.success, isSlow: false, at: at(Double(number) / 100)) }
        XCTAssertLessThan(record.entries.count, 25)
        record.add(.failure, isSlow: false, at: at(1000))
        XCTAssertFalse(record.opens(settings { $0.failureRate = 1 / 5000 }), "54 to 60 seconds of calls are counted")
        XCTAssertTrue(record.opens(settings { $0.failureRate = 1 / 6001 }))
    }

    func testSlowCallsOpenTheBreaker() {
        var breaker = CircuitBreaker(settings { $0.slowCall = .seconds(1) })
        for _ in 0..<4 { call(&breaker, .success, at: 0, lasting: 2) }
        XCTAssertTrue(breaker.isOpen(at: at(0)))
    }

    /// msoedov/agentic_security PR#328: a failed probe closed the breaker.
    func testTheOutcomeOfAProbeClosesOrReopensTheBreaker() {
        var breaker = CircuitBreaker(settings())
        for _ in 0..<4 { call(&breaker, .failure, at: 0) }
        XCTAssertTrue(call(&breaker, .failure, at: 5), "the probe")
        XCTAssertTrue(breaker.isOpen(at: at(14.9)), "the pause has doubled")
        XCTAssertTrue(call(&breaker, .success, at: 15))
        for _ in 0..<3 { XCTAssertTrue(call(&breaker, .failure, at: 15), "it is closed, and nothing is counted yet") }
        call(&breaker, .failure, at: 15)
        XCTAssertTrue(breaker.isOpen(at: at(19.9)))
        XCTAssertFalse(breaker.isOpen(at: at(20)), "the pause begins anew")
    }

    /// resilience4j#903, BerriAI/litellm PR#39701: the breaker stayed half-open for ever.
    func testAProbeWithoutAnOutcomeAllowsAnotherProbe() {
        var breaker = CircuitBreaker(settings())
        for _ in 0..<4 { call(&breaker, .failure, at: 0) }
        XCTAssertTrue(call(&breaker, .none, at: 5))
        guard case .admitted = breaker.admit(at: at(6), random: 1) else { return XCTFail("no second probe") }
        XCTAssertFalse(call(&breaker, .success, at: 7), "one at a time")
        XCTAssertFalse(call(&breaker, .success, at: 36), "after its deadline the probe has failed")
        XCTAssertTrue(call(&breaker, .success, at: 46))
    }

    /// The test covers resilience4j#1432, and outcomes that arrive late.
    func testAnOutcomeFromBeforeTheOpeningIsIgnored() {
        var breaker = CircuitBreaker(settings())
        guard case .admitted(let late) = breaker.admit(at: at(0), random: 1) else { return XCTFail("refused") }
        for _ in 0..<4 { call(&breaker, .failure, at: 0) }
        breaker.settle(late, .success, at: at(1), random: 1)
        XCTAssertTrue(breaker.isOpen(at: at(1)))
        guard case .admitted = breaker.admit(at: at(5), random: 1) else { return XCTFail("refused") }
        breaker.settle(late, .success, at: at(6), random: 1)
        XCTAssertFalse(call(&breaker, .success, at: 6))
    }

    func testAPauseThatTheServerDemandsIsKept() {
        var breaker = CircuitBreaker(settings())
        breaker.open(atLeast: .seconds(30), at: at(0))
        XCTAssertTrue(breaker.isOpen(at: at(29)))
        XCTAssertEqual(breaker.remainingPause(at: at(29)), .seconds(1))
        XCTAssertNil(breaker.remainingPause(at: at(30)))
        XCTAssertTrue(call(&breaker, .success, at: 30))
        XCTAssertTrue(call(&breaker, .success, at: 30))
    }
    func testAResetClearsTheFailuresButAPauseContinues() {
        var breaker = CircuitBreaker(settings())
        for _ in 0..<3 { call(&breaker, .failure, at: 0) }
        breaker.reset()
        for _ in 0..<3 { call(&breaker, .failure, at: 0) }
        XCTAssertFalse(breaker.isOpen(at: at(0)))
        call(&breaker, .failure, at: 0)
        call(&breaker, .failure, at: 5)
        breaker.reset()
        XCTAssertTrue(breaker.isOpen(at: at(14.9)))
        call(&breaker, .failure, at: 15)
        XCTAssertFalse(breaker.isOpen(at: at(20)), "the next pause is as long as the first")
    }
}
