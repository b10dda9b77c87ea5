import XCTest

@testable import FreshetLoad

final class LoadSeriesTests: XCTestCase {
    func testResponsesAndFailuresAreCountedInTheirTimeSpans() {
        var series = LoadSeries(width: 100)
        series.record(at: 0, latency: 5, isFailure: false)
        series.record(at: 99, latency: nil, isFailure: true)
        series.record(at: 350, latency: 7, isFailure: false)
        XCTAssertEqual(series.spans.map(\.responses), [1, 0, 0, 1])
        XCTAssertEqual(series.spans.map(\.failures), [1, 0, 0, 0])
        XCTAssertEqual(series.spans[3].latency.percentile(0.5), 7)
    }

    func testALongRunHasWiderTimeSpansAndKeepsAllCounts() {
        var series = LoadSeries(width: 100)
        for time: Int64 in 0..<100_000 { series.record(at: time, latency: time, isFailure: false) }
        XCTAssertLessThanOrEqual(series.spans.count, 240)
        XCTAssertEqual(series.width, 800)
        XCTAssertEqual(series.spans.map(\.responses).reduce(0, +), 100_000)
        XCTAssertEqual(series.spans.first?.responses, 800)
        XCTAssertEqual(series.spans.map(\.latency.count).reduce(0, +), 100_000)
    }

    func testSeriesOfDifferentWidthsAreMerged() {
        var (one, other) = (LoadSeries(width: 100), LoadSeries(width: 100))
        for time: Int64 in 0..<50_000 { one.record(at: time, latency: 1, isFailure: false) }
        for time: Int64 in 0..<1000 { other.record(at: time, latency: nil, isFailure: true) }
        XCTAssertNotEqual(one.width, other.width)
        var merged = other
        merged.merge(one)
        one.merge(other)
        for series in [one, merged] {
            XCTAssertEqual(series.width, 400)
            XCTAssertEqual(series.spans.map(\.responses).reduce(0, +), 50_000)
            XCTAssertEqual(series.spans.prefix(3).map(\.failures), [400, 400, 200])
        }
    }
}
