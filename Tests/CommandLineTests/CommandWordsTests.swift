import XCTest

@testable import freshet_cli

final class CommandWordsTests: XCTestCase {
    func testTheKernelsRecordIsSplitIntoWordsAndKeepsEmptyOnes() {
        XCTAssertEqual(CommandWords.split(Array("freshet\0get\0\0-d\0a b\0".utf8)), ["get", "", "-d", "a b"])
        XCTAssertEqual(CommandWords.split(Array("freshet\0get\0\0".utf8)), ["get", ""])
        XCTAssertEqual(CommandWords.split(Array("freshet\0".utf8)), [])
        XCTAssertEqual(CommandWords.split([]), [])
    }
}
