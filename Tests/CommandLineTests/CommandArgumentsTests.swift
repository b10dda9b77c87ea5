import XCTest

@testable import freshet_cli

final class CommandArgumentsTests: XCTestCase {
    func testTheErrorMessageNamesTheProfileOfTheCommand() {
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile", "api", "http://h/"]), "api")
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile=api"]), "api")
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile"]), "NAME")
        XCTAssertEqual(CommandArguments.profile(in: []), "NAME")
    }

    func testACommandLineOfTheKernelIsSplitAtNULsAndKeepsEmptyArguments() {
        XCTAssertEqual(CommandArguments.split(Array("freshet\0get\0\0-d\0a b\0".utf8)), ["get", "", "-d", "a b"])
        XCTAssertEqual(CommandArguments.split(Array("freshet\0get\0\0".utf8)), ["get", ""])
        XCTAssertEqual(CommandArguments.split(Array("freshet\0".utf8)), [])
        XCTAssertEqual(CommandArguments.split([]), [])
    }
}
