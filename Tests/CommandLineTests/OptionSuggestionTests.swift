import Freshet
import XCTest

@testable import freshet_cli

/// Tests the recovery suggestions of the library in the command line's words.
final class OptionSuggestionTests: XCTestCase {
    private typealias RecoverySuggestion = HTTPClientError.RecoverySuggestion

    func testARecoverySuggestionNamesTheOptionForIt() {
        let error = HTTPClientError(
            .timeout, phase: .waiting, origin: "https://h:443", message: "nothing came",
            recoverySuggestion: .allowMoreTime)
        XCTAssertEqual(
            error.commandLineMessage,
            "timeout: nothing came; try again, or allow the request more time with --timeout SECONDS "
                + "(waiting for the response, https://h:443)")
    }

    func testARecoverySuggestionWithoutAnOptionIsUnchanged() {
        XCTAssertEqual(RecoverySuggestion("check the address").phrasedAsOptions, "check the address")
        XCTAssertEqual(RecoverySuggestion.tryAgain.phrasedAsOptions, .tryAgain)
        XCTAssertEqual(LoopFailure().commandLineMessage, "no loop")
    }

    /// The readers of these suggestions write no Swift.
    func testNoRecoverySuggestionNamesASettingOfTheLibrary() {
        let settings: [RecoverySuggestion] = [
            .allowMoreTime, .sendFewerAtOnce, .raiseBodyLimit, .raiseHeadLimit, .raiseEventLimit, .raiseDecodingRatio,
            .disableCompression, .overrideAddress, .setClientIdentity, .trustCertificate, .checkTrustRoots, .useHTTP1,
            .logIn, .logInAgain,
            .allowMoreRefreshes,
        ]
        for recoverySuggestion in settings {
            let words = recoverySuggestion.phrasedAsOptions
            XCTAssertNotEqual(words, recoverySuggestion)
            XCTAssertNil(words.description.firstMatch(of: /[a-z][A-Z]/), "\(words)")
        }
    }
}

private struct LoopFailure: Error, CustomStringConvertible {
    let description = "no loop"
}
