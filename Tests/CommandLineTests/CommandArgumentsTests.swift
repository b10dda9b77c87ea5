import XCTest

@testable import freshet_cli

final class CommandArgumentsTests: XCTestCase {
    func testTheErrorMessageNamesTheProfileOfTheCommand() {
        XCTAssertEqual(CommandWords.profile(in: ["get", "--profile", "api", "http://h/"]), "api")
        XCTAssertEqual(CommandWords.profile(in: ["get", "--profile=api"]), "api")
        XCTAssertEqual(CommandWords.profile(in: ["get", "--profile"]), "NAME")
        XCTAssertEqual(CommandWords.profile(in: []), "NAME")
    }

    func testACommandLineOfTheKernelIsSplitAtNULsAndKeepsEmptyArguments() {
        XCTAssertEqual(CommandWords.split(Array("freshet\0get\0\0-d\0a b\0".utf8)), ["get", "", "-d", "a b"])
        XCTAssertEqual(CommandWords.split(Array("freshet\0get\0\0".utf8)), ["get", ""])
        XCTAssertEqual(CommandWords.split(Array("freshet\0".utf8)), [])
        XCTAssertEqual(CommandWords.split([]), [])
    }
}
