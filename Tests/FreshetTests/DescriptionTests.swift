import Freshet
import XCTest

final class DescriptionTests: XCTestCase {
    func testEnumerationsPrintTheirCaseNameOnly() {
        let reasons: [LoginRequired?] = [.noCredential, .refused, .loggedOut]
        XCTAssertEqual("\(reasons)", "[Optional(noCredential), Optional(refused), Optional(loggedOut)]")
        XCTAssertEqual("\(LoginRequired.loggedOut)", "loggedOut")
        XCTAssertEqual("\([SessionState.signedIn])", "[signedIn]")
        XCTAssertEqual("\([RefreshEvent.Cause.ahead])", "[ahead]")
        XCTAssertEqual("\([RefreshEvent.Outcome.adopted])", "[adopted]")
        XCTAssertEqual("\([RevocationEvent.Cause.logout])", "[logout]")
        XCTAssertEqual("\([RevocationEvent.Outcome.timedOut])", "[timedOut]")
    }
}
