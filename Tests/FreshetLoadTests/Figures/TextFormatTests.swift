import XCTest

@testable import FreshetLoad

final class TextFormatTests: XCTestCase {
    func testLatenciesHaveThreeDigitsAndTheirUnit() {
        let texts = [0, 0.5, 9.99, 99.94, 640, 999.4, 999.6, 12_345, 999_600, 61e6].map { TextFormat.latency($0) }
        XCTAssertEqual(
            texts,
            ["0 µs", "0.50 µs", "9.99 µs", "99.9 µs", "640 µs", "999 µs", "1.00 ms", "12.3 ms", "1.00 s", "61.0 s"])
    }

    func testAProgressLineOmitsFactsThatDoNotFit() {
        let facts = ["50 %", "28.0 s left", "3.10 MB/s", "12.3 MB of 24.6 MB"]
        let lines = [20, 40, 80].map { TextFormat.progress(0.5, facts, in: $0) }
        XCTAssertEqual(
            lines,
            [
                "████████░░░░░░░ 50 %", "██████░░░░░ 50 %, 28.0 s left, 3.10 MB/s",
                "███████████████░░░░░░░░░░░░░░░ 50 %, 28.0 s left, 3.10 MB/s, 12.3 MB of 24.6 MB",
            ])
        XCTAssertEqual(TextFormat.progress(nil, facts, in: 20), "50 %, 28.0 s left")
    }

    func testSizesCountsAndSharesAreFormattedShortly() {
        XCTAssertEqual(
            [0, 999, 1000, 1_500_000, 7_000_000_000].map(TextFormat.bytes),
            ["0 B", "999 B", "1.00 kB", "1.50 MB", "7.00 GB"])
        XCTAssertEqual(
            [0, 1, 2000].map { TextFormat.count($0, "error") }, ["0 errors", "1 error", "2,000 errors"])
        XCTAssertEqual([0, 9_999, 38_120, 1_250_000].map(TextFormat.short), ["0", "9,999", "38.1k", "1.25M"])
        XCTAssertEqual(
            [0, 0.00001, 0.005, 0.25, 0.9999999, 1].map(TextFormat.percent),
            ["0 %", "<0.01 %", "0.50 %", "25.0 %", ">99.99 %", "100 %"])
        XCTAssertEqual([-1, -123, -1234].map { TextFormat.count($0) }, ["-1", "-123", "-1,234"])
        XCTAssertEqual([0, 0.5, 2500, 20_000, 3e6].map { TextFormat.axis($0) }, ["0", "0.5", "2,500", "20k", "3M"])
    }

    func testNumbersBeyondThoseOfIntegersAreFormattedToo() {
        XCTAssertEqual(TextFormat.short(1e300), "1.00e+294M")
        XCTAssertEqual(TextFormat.latency(1e300), "1.00e+294 s")
        XCTAssertEqual(ComparedFigure.streams[1].text(1e300), "1.00e+288 TB")
        XCTAssertEqual(TextFormat.digits(.infinity), "inf")
    }

    func testABarOfNoKnownFractionIsEmpty() {
        XCTAssertEqual(TextFormat.bar(.nan, width: 3), "░░░")
        XCTAssertEqual(TextFormat.bar(.infinity, width: 3), "███")
    }
}
