import Foundation
import FreshetHTTPTesting
import XCTest

/// Tests logins whose standard input can't be read.
final class ClosedInputTests: SignInTestCase {
    func testALoginNamesTheStandardInputThatCannotBeRead() throws {
        for redirection in ["<&-", "</"] {
            let result = try FreshetProcess(
                ["login", "--config", try config(), "--profile", "p", "--access-token", "-", "--json"],
                redirection: redirection
            ).result()
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(
                result.errorOutput.hasPrefix("freshet: invalid_request: the standard input can't be read: "),
                result.errorOutput)
            XCTAssertEqual(result.objects.last?["event"] as? String, "error")
            XCTAssertEqual(result.objects.last?["code"] as? String, "invalid_request")
        }
    }

    func testALoginByPasteEndsWithTheEventOfItsError() throws {
        let result = try FreshetProcess(
            ["login", "--config", try config(), "--profile", "p", "--paste", "--json"], redirection: "<&-"
        ).result()
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.objects.map { $0["event"] as? String }, ["browser", "error"])
        XCTAssertTrue(result.errorOutput.contains("the standard input can't be read: "), result.errorOutput)
    }
}
