import FreshetLoop
import XCTest

final class DurationUnitsTests: XCTestCase {
    func testMillisecondsAreRoundedUp() {
        for (duration, milliseconds) in [
            (Duration.zero, 0), (.microseconds(500), 1), (.milliseconds(1), 1), (.nanoseconds(1_000_001), 2),
            (.microseconds(-500), 0), (.milliseconds(-1), -1), (.microseconds(-1500), -1),
        ] {
            XCTAssertEqual(duration.millisecondsRoundedUp, Int64(milliseconds), "\(duration)")
        }
    }

    func testALongTimeIsLimitedTo146Years() {
        let limit = Int64.max / 2 / 1_000_000
        XCTAssertEqual(Duration.seconds(Int64.max).millisecondsRoundedUp, limit + 1)
        XCTAssertEqual(Duration.seconds(Int64.min).millisecondsRoundedUp, -limit)
    }
}
