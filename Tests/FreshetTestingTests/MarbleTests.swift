import FreshetCore
import FreshetTesting
import XCTest

final class MarbleTests: XCTestCase {
    func testALineIsItsRecordings() {
        let events: [Recorded<Event<String>>] = [
            .next(11, "a"), .next(13, "b"), .next(13, "c"), .error(15, Marble.Failure()),
        ]
        XCTAssertEqual(Marble.events("-a-(bc)-#", from: 10), events)
        XCTAssertEqual(Marble.text(of: events, from: 10), "-a-(bc)-#")
        XCTAssertEqual(Marble.text(of: Marble.events("a--b|")), "a--b|")
    }
}
