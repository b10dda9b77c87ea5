import XCTest

@testable import freshet_cli

/// Tests which words are split as in curl, and which are left alone.
final class JoinedOptionsTests: XCTestCase {
    func testFlagsAndTheValueAreSplitOffAnOption() {
        XCTAssertEqual(split("-sXPOST", "-da=b", "-fo", "f"), ["-s", "-X", "POST", "-d", "a=b", "-f", "-o", "f"])
    }

    func testTheValueOfAnOptionThatIsRefusedIsSplitOffToo() {
        XCTAssertEqual(split("-bname=v", "-sr0-5", "-C-"), ["-b", "name=v", "-s", "-r", "0-5", "-C", "-"])
    }

    func testFlagsWithoutAnOptionAreNotSplit() {
        XCTAssertEqual(split("-sSfL", "-d", "u", "-", "-v", "-sz"), ["-sSfL", "-d", "u", "-", "-v", "-sz"])
    }

    func testTheValueOfAnOptionIsNotSplit() {
        XCTAssertEqual(split("-d", "-sXPOST", "-sd", "-iXPUT"), ["-d", "-sXPOST", "-s", "-d", "-iXPUT"])
        XCTAssertEqual(split("--data-raw", "-sXPOST", "--json", "-io"), ["--data-raw", "-sXPOST", "--json", "-io"])
        XCTAssertEqual(split("-d-sXPOST", "-sv"), ["-d", "-sXPOST", "-sv"])
        XCTAssertEqual(split("--data-ascii", "-sXPOST"), ["--data-ascii", "-sXPOST"])
    }

    func testAValueThatLooksLikeAnOptionTakesNoValueItself() {
        XCTAssertEqual(split("-d-x", "-sXPUT", "u"), ["-d", "-x", "-s", "-X", "PUT", "u"])
        XCTAssertEqual(split("-sd", "-x", "-sXPUT"), ["-s", "-d", "-x", "-s", "-X", "PUT"])
    }

    func testArgumentsAfterTwoDashesAndOfOtherVerbsAreNotSplit() {
        XCTAssertEqual(split("-sXPUT", "--", "-sXPOST"), ["-s", "-X", "PUT", "--", "-sXPOST"])
        XCTAssertEqual(JoinedOptions.split(["login", "-sXPOST"]), ["login", "-sXPOST"])
        XCTAssertEqual(JoinedOptions.split([]), [])
    }

    private func split(_ words: String...) -> [String] {
        Array(JoinedOptions.split(["get"] + words).dropFirst())
    }
}
