import XCTest

@testable import FreshetLoad

final class AxisTests: XCTestCase {
    func testALinearAxisEndsAtARoundNumber() {
        XCTAssertEqual(Axis.linear(upTo: 7300).high, 8000)
        XCTAssertEqual(Axis.linear(upTo: 7300).marks(4), [0, 2000, 4000, 6000, 8000])
        XCTAssertEqual(Axis.linear(upTo: 20).high, 20)
        XCTAssertEqual(Axis.linear(upTo: 0).part(0), 0)
    }

    func testATimeAxisEndsWithTheRun() {
        let scale = Axis.time(upTo: 10.3)
        XCTAssertEqual(scale.marks(6), [0, 2, 4, 6, 8, 10])
        XCTAssertEqual(scale.part(10.3), 1)
    }

    func testALogarithmicAxisHasFewRoundMarksWithAMinimumDistance() {
        for (low, high) in [(0.5, 2.0), (90, 110), (300, 9e6), (1, 1.05), (0.001, 1e9), (42, 42), (586, 103_000)] {
            let scale = Axis.logarithmic(from: low, to: high)
            let marks = scale.marks(6, distance: 0.15)
            XCTAssertFalse(marks.isEmpty, "\(low) to \(high)")
            XCTAssertLessThanOrEqual(marks.count, 7, "\(low) to \(high)")
            if marks.count > 1 {
                for (left, right) in zip(marks, marks.dropFirst()) {
                    XCTAssertGreaterThanOrEqual(scale.part(right) - scale.part(left), 0.15, "\(low) to \(high)")
                }
            }
        }
    }

    func testValuesOutsideTheAxisAreClamped() {
        let scale = Axis.logarithmic(from: 10, to: 1000)
        XCTAssertEqual(scale.part(100), 0.5, accuracy: 1e-9)
        XCTAssertEqual(scale.part(1), 0)
        XCTAssertEqual(scale.part(1e9), 1)
    }
}
