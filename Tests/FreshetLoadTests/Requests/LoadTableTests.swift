import XCTest

@testable import FreshetLoad

/// Tests the table that `freshet bench` writes at its end.
final class LoadTableTests: XCTestCase {
    private func outcome(failing failures: Int = 0, seconds: Double = 1, cpu: Double = 0.5) -> LoadOutcome {
        var tally = LoadTally()
        for number: Int64 in 1...1000 {
            tally.responses += 1
            tally.latency.record(number * 10_000)
        }
        if failures > 0 {
            tally.failures.record(LoadFailure(kind: "timeout", count: failures, example: "it took long"))
        }
        return LoadOutcome(
            tally: tally, seconds: seconds, cpu: cpu, peakResident: 20_000, unfinished: 1_000_000)
    }

    private func table(width: Int, failing failures: Int = 0) -> [String] {
        outcome(failing: failures).table(width: width).components(separatedBy: "\n")
    }

    func testEachColumnHasAHeading() throws {
        let lines = table(width: 80, failing: 2)
        XCTAssertTrue(lines.contains("error                requests  for example"), "\(lines)")
        let heading = try XCTUnwrap(lines.first { $0.hasPrefix("percentile   latency") })
        XCTAssertNotNil(heading.firstMatch(of: /latency +from +responses +share$/), heading)
        for word in ["share", "responses", "from"] {
            let end = try XCTUnwrap(heading.range(of: word)?.upperBound)
            let column = heading.distance(from: heading.startIndex, to: end)
            XCTAssertNotEqual(Array(lines.last ?? "")[column - 1], " ", "nothing stands under \(word)")
        }
    }

    func testTheMeanIsShownBelowThePercentiles() {
        XCTAssertTrue(table(width: 60).contains { $0.wholeMatch(of: /mean +5\.0\d ms/) != nil }, "\(table(width: 60))")
    }

    func testAFullCoreAndAMissedRateAreReportedOnlyAfterASecond() {
        XCTAssertTrue(outcome(seconds: 2, cpu: 1.9).isLimitedByCPU(loops: 1))
        XCTAssertFalse(outcome(seconds: 2, cpu: 1.9).isLimitedByCPU(loops: 2))
        XCTAssertFalse(outcome(seconds: 0.5, cpu: 0.5).isLimitedByCPU(loops: 1))
        XCTAssertEqual(outcome(seconds: 2).missedRate(1000) ?? 0, 500, accuracy: 1)
        XCTAssertNil(outcome(seconds: 2).missedRate(500))
        XCTAssertNil(outcome(seconds: 0.5).missedRate(1e6))
    }

    func testARateIsKeptThoughNoRequestWasAnswered() {
        var tally = LoadTally()
        tally.failures.record(LoadFailure(kind: "timeout", count: 40, example: "it took long"))
        tally.recordFailure(after: 2)
        let outcome = LoadOutcome(tally: tally, seconds: 4, cpu: 0, peakResident: 0)
        XCTAssertNil(outcome.missedRate(20))
        XCTAssertEqual(outcome.missedRate(30) ?? 0, 20, accuracy: 0.01)
    }

    func testARateIsMissedByRequestsThatHadNoConnectionHoweverSlowTheResponsesWere() throws {
        var tally = LoadTally()
        tally.responses = 2
        tally.latency.record(1_000_000_000)
        tally.latency.record(1_000_000_000)
        let slow = LoadOutcome(tally: tally, seconds: 1.05, cpu: 0, peakResident: 0, unfinished: 18, unsent: 18)
        XCTAssertEqual(try XCTUnwrap(slow.missedRate(20)), 2, accuracy: 0.01)
        // Requests that wait for their responses were sent.
        let stopped = LoadOutcome(tally: tally, seconds: 1.05, cpu: 0, peakResident: 0, unfinished: 18)
        XCTAssertNil(stopped.missedRate(20))
    }

    func testNoLineIsWiderThanTheTerminal() {
        for width in 40...200 {
            let lines = table(width: width)
            XCTAssertTrue(lines.allSatisfy { $0.count < width }, "\(width): \(lines.max { $0.count < $1.count } ?? "")")
            XCTAssertTrue(lines.contains { $0.contains("responses") && $0.hasSuffix("share") }, "\(width)")
            XCTAssertEqual(lines.count { $0.hasPrefix("p99.9 ") }, 1, "\(width)")
        }
    }

    func testTheHistogramMovesBelowThePercentilesOnANarrowTerminal() {
        XCTAssertTrue(table(width: 61).contains("percentile   latency"))
        XCTAssertFalse(table(width: 62).contains("percentile   latency"))
        XCTAssertEqual(table(width: 60).count, table(width: 62).count + 11)
    }
}
