import FreshetCore
import FreshetTesting
import XCTest

/// Runs the example of the page about writing an operator.
final class WritingAnOperatorTests: ResourceTestCase {
    func testTheOperatorOfThePageEmitsArraysAndTheRemainder() throws {
        let chunks = try Observable.range(start: 1, count: 5).chunks(of: 2).toBlocking().toArray()
        XCTAssertEqual(chunks, [[1, 2], [3, 4], [5]])
    }
}
