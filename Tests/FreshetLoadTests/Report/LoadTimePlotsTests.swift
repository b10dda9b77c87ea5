import XCTest

@testable import FreshetLoad

final class LoadTimePlotsTests: XCTestCase {
    func testTheTimeAfterTheLastResponseIsDrawnAsATimeWithoutResponses() throws {
        var tally = LoadTally(series: LoadSeries())
        for number: Int64 in 0..<500 {
            tally.responses += 1
            tally.latency.record(1_000_000)
            tally.series?.record(at: number * 10_000_000, latency: 1_000_000, isFailure: false)
        }
        let outcome = LoadOutcome(tally: tally, seconds: 10, cpu: 1, peakResident: 1, unfinished: 1)
        let plots = LoadTimePlots(outcome: outcome).markup.text.components(separatedBy: "data-readouts=\"").dropFirst()
        let readouts = plots.map { $0.prefix { $0 != "\"" }.split(separator: "\n") }
        XCTAssertEqual(readouts.map(\.count), [100, 100])
        XCTAssertEqual(readouts[0][10], "1.10 s: 100 responses a second")
        XCTAssertEqual(readouts[0][75], "7.60 s: 0 responses a second")
        XCTAssertEqual(readouts[1][99], "10.0 s: no responses")
        let line = try XCTUnwrap(plots.first?.components(separatedBy: "class=\"line\" points=\"").last)
        XCTAssertTrue(line.prefix { $0 != "\"" }.hasSuffix("1000,300 "), String(line.prefix { $0 != "\"" }))
    }
}
