import FreshetCore
import XCTest

@testable import FreshetAuth

/// What a gate keeps does not grow with its age.
final class ForgottenRefreshTests: XCTestCase {
    // Alamofire, read in its code: the times of its refreshes are kept for ever.
    func testTheTimesOfRefreshesAreForgottenAfterTheWindow() throws {
        var machine = RefreshStateMachine()
        for number in 1...1000 {
            let moment = Moment(wall: 0, monotonic: Instant(sinceStart: .seconds(10 * number)))
            XCTAssertTrue(machine.admitRefresh(at: moment))
        }
        let times = Mirror(reflecting: machine).descendant("refreshTimes") as? [Instant]
        XCTAssertLessThanOrEqual(try XCTUnwrap(times).count, 5)
    }
}
