import XCTest

@testable import FreshetLoad

final class StreamSeriesTests: XCTestCase {
    func testTheSamplingIntervalDoublesAfterTooManySamples() {
        var series = StreamSeries(distance: .milliseconds(10))
        for time in 0..<1000 {
            series.record(.init(time: Double(time), open: time, failed: 0, resident: 0))
        }
        XCTAssertLessThanOrEqual(series.samples.count, 240)
        XCTAssertGreaterThan(series.samples.count, 100)
        XCTAssertEqual(series.samples.first?.time, 0)
        XCTAssertEqual(series.samples.last?.time, 999)
        XCTAssertGreaterThanOrEqual(series.distance, .milliseconds(80))
        XCTAssertEqual(series.samples.map(\.time), series.samples.map(\.time).sorted())
    }
}
