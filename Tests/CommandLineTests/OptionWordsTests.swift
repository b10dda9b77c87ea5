import Freshet
import XCTest

@testable import freshet_cli

/// The library's remedies in the command line's words.
final class OptionWordsTests: XCTestCase {
    private typealias Remedy = HTTPClientError.Remedy

    func testARemedyThatAnOptionIsForNamesIt() {
        let error = HTTPClientError(
            .timeout, phase: .waiting, origin: "https://h:443", message: "nothing came", remedy: .allowMoreTime)
        XCTAssertEqual(
            error.words,
            "timeout: nothing came; try again or allow it more time with --timeout SECONDS "
                + "(waiting for the response, https://h:443)")
    }

    func testAnyOtherStaysAsItIs() {
        XCTAssertEqual(Remedy("check the address").inWordsOfOptions, "check the address")
        XCTAssertEqual(Remedy.tryAgain.inWordsOfOptions, .tryAgain)
        XCTAssertEqual(LoopFailure().words, "no loop")
    }

    /// Who reads them writes no Swift.
    func testNoSettingOfTheLibraryIsNamed() {
        let settings: [Remedy] = [
            .allowMoreTime, .sendFewerAtOnce, .raiseBodyLimit, .raiseHeadLimit, .raiseEventLimit, .raiseDecodingRatio,
            .askUncompressed, .overrideAddress, .giveIdentity, .checkTrustRoots, .askForHTTP1, .logIn, .logInAgain,
        ]
        for remedy in settings {
            let words = remedy.inWordsOfOptions
            XCTAssertNotEqual(words, remedy)
            XCTAssertNil(words.description.firstMatch(of: /[a-z][A-Z]/), "\(words)")
        }
    }
}

private struct LoopFailure: Error, CustomStringConvertible {
    let description = "no loop"
}
