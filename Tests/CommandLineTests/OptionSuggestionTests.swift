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

    func testTheSuggestionOfAFailedRefreshNamesTheOptionForItsOwnError() {
        let own = HTTPClientError(
            .tls, phase: .securing, message: "untrusted", recoverySuggestion: .trustAuthority)
        let error = HTTPClientError(
            .refreshFailed, phase: .refreshing, message: "kept",
            recoverySuggestion: "\(RecoverySuggestion.trustAuthority), then try again", underlying: own)
        XCTAssertEqual(
            error.commandLineMessage,
            "refresh_failed: kept; trust its authority with --cacert FILE, if that is the right one, then try again "
                + "(refreshing)")
    }

    /// The readers of these suggestions write no Swift.
    func testNoRecoverySuggestionNamesASettingOfTheLibrary() {
        let settings: [RecoverySuggestion] = [
            .allowMoreTime, .sendFewerAtOnce, .raiseBodyLimit, .raiseHeadLimit, .raiseEventLimit, .raiseDecodingRatio,
            .disableCompression, .overrideAddress, .setClientIdentity, .trustCertificate, .checkTrustRoots, .useHTTP1,
            .provePossession, .logIn, .logInAgain,
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
