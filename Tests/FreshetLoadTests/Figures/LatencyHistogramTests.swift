import XCTest

@testable import FreshetLoad

final class LatencyHistogramTests: XCTestCase {
    func testEveryPercentileIsAccurateToOnePercent() throws {
        var histogram = LatencyHistogram()
        // The values go from 1 ns to 17 s, each a little longer than the previous one.
        var values: [Double] = []
        var value = 1.0
        while value < 17e9 {
            values.append(value.rounded())
            histogram.record(Int64(value.rounded()))
            value *= 1.003
        }
        XCTAssertEqual(histogram.count, values.count)
        for step in 0...1000 {
            let fraction = Double(step) / 1000
            let rank = max(1, Int((fraction * Double(values.count)).rounded(.up)))
            let exact = values[rank - 1]
            XCTAssertEqual(try XCTUnwrap(histogram.percentile(fraction)), exact, accuracy: exact * 0.01, "\(fraction)")
        }
        let mean = values.reduce(0, +) / Double(values.count)
        XCTAssertEqual(histogram.mean, mean, accuracy: mean * 0.01)
    }

    func testTheExtremesAreExact() {
        var histogram = LatencyHistogram()
        for value: Int64 in [1_234_567, 7_654_321, 99_999_999] { histogram.record(value) }
        XCTAssertEqual(histogram.percentile(0), 1_234_567)
        XCTAssertEqual(histogram.percentile(1), 99_999_999)
        XCTAssertEqual(histogram.percentile(0.99), 99_999_999)
        XCTAssertEqual(histogram.shortest, 1_234_567)
    }

    func testAnEmptyHistogramHasNoPercentile() {
        let histogram = LatencyHistogram()
        XCTAssertTrue(histogram.isEmpty)
        XCTAssertNil(histogram.percentile(0.5))
        XCTAssertEqual(histogram.mean, 0)
    }

    func testANegativeLatencyIsZeroAndTheLongestLatencyIsKept() {
        var histogram = LatencyHistogram()
        histogram.record(-5)
        histogram.record(.max)
        XCTAssertEqual(histogram.percentile(0), 0)
        XCTAssertEqual(histogram.percentile(1), Double(Int64.max))
    }

    func testMergedHistogramsEqualOneOfAllLatencies() {
        var (one, other, all) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for value: Int64 in 1...5000 {
            let nanoseconds = value * value * 31
            if value % 3 == 0 { one.record(nanoseconds) } else { other.record(nanoseconds) }
            all.record(nanoseconds)
        }
        one.merge(other)
        for fraction in [0, 0.1, 0.5, 0.9, 0.99, 1] {
            XCTAssertEqual(one.percentile(fraction), all.percentile(fraction))
        }
        XCTAssertEqual(one.count, 5000)
        XCTAssertEqual(one.mean, all.mean, accuracy: 1)
    }

    func testEachLatencyIsCountedInItsBin() {
        var histogram = LatencyHistogram()
        for value: Int64 in [10, 20, 20, 35, 100] { histogram.record(value) }
        XCTAssertEqual(histogram.counts(between: [10, 20, 30, 101]), [1, 2, 2])
        XCTAssertEqual(histogram.counts(between: [10]), [])
        let bins = LatencyBins(histogram, count: 7)
        XCTAssertEqual(bins.edges.count, 8)
        XCTAssertEqual(bins.counts.reduce(0, +), 5)
    }

    func testLatenciesOfAnyLengthAreCounted() {
        var histogram = LatencyHistogram()
        for value: Int64 in 0..<100_000 { histogram.record(value * 7919) }
        XCTAssertEqual(histogram.count, 100_000)
        XCTAssertEqual(histogram.counts(between: [0, .infinity]), [100_000])
    }
}
