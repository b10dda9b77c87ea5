import Foundation
import Freshet
import XCTest

@testable import freshet_cli

/// The library's advice in the command line's words.
final class OptionWordsTests: XCTestCase {
    func testAdviceThatAnOptionFollowsNamesIt() {
        let error = HTTPClientError(
            .timeout, phase: .waiting, message: "nothing came in 2.0 seconds; try again or allow it more time")
        XCTAssertEqual(
            error.inWordsOfOptions.message,
            "nothing came in 2.0 seconds; try again or allow it more time with --timeout SECONDS")
    }

    func testOtherAdviceStaysAsItIs() {
        let error = HTTPClientError(.protocol, phase: .receiving, message: "what came is no HTTP; check the address")
        XCTAssertEqual(error.inWordsOfOptions.message, error.message)
    }

    /// The library knows nothing of the options, so that a change of its words would go unseen here.
    func testAllAdviceThatIsPutInOtherWordsIsGivenByTheLibrary() throws {
        let sources = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources")
        let files = try XCTUnwrap(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var text = ""
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("freshet-cli") {
            text += try String(contentsOf: file, encoding: .utf8)
        }
        // What is written in two lines is one text.
        text.replace(/"\s*\+ "/, with: "")
        for (advice, _) in HTTPClientError.options {
            XCTAssertTrue(text.contains(advice), "nobody says “\(advice)” any more")
        }
    }
}
