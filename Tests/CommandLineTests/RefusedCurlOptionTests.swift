import ArgumentParser
import Foundation
import XCTest

@testable import freshet_cli

/// Tests what is said about the words of curl that the command does not have.
final class RefusedCurlOptionTests: XCTestCase {
    func testEveryRefusedArgumentIsListedOnThePageAboutMissingOptions() throws {
        let page = try Documentation.text(of: "Sources/Freshet/Freshet.docc/Articles/MissingCurlOptions.md")
        for word in CommandLineAdvice.table.flatMap(\.spellings) {
            XCTAssertTrue(page.contains("`\(word)`"), "MissingCurlOptions.md does not name \(word)")
        }
    }

    func testASurplusArgumentGetsTheAdviceOfItsVerb() throws {
        for (words, advice) in [
            (["run", "requests.jsonl"], "freshet run < FILE"), (["status", "--profile", "p", "api"], "--profile NAME"),
            (["bench", "http://h/", "--json", "{}"], "send a body with -d"),
            (["bench", "http://h/", "-t4"], "--loops N"), (["bench", "http://h/", "-L"], "followed without it"),
            (["events", "http://h/", "-v"], "freshet get -i"), (["run", "-H", "A: b"], "each line of run"),
            (["run", "-s"], "leave it out"), (["run", "-sSL"], "leave it out"),
            (["bench", "http://h/", "-s"], "leave it out"),
            (["get", "http://h/", "-H", "@file"], "-H reads no file"),
            (["get", "http://h/", "-e", "http://from/;auto"], "leave ;auto out"),
            (["get", "http://h/", "-F", "f=@f.txt;encoder=base64"], "no ;encoder="),
            (["get", "http://h/", "-F", "f=@f.txt;type=text/plain; headers=\"X: y\""], "no ;headers="),
        ] {
            XCTAssertThrowsError(try FreshetCommand.command(of: words)) {
                XCTAssertTrue(complaint(about: $0).contains(advice), "\(words)")
            }
        }
    }

    /// `status` sends no request, and a login does not follow every redirect.
    func testOnlyVerbsThatSendRequestsExplainThatRedirectsAreFollowed() throws {
        for verb in [
            ["login", "--profile", "p"], ["logout", "--profile", "p"], ["status", "--profile", "p"], ["demo"],
        ] {
            for option in ["-s", "-L", "--location"] {
                XCTAssertThrowsError(try FreshetCommand.command(of: verb + [option])) {
                    let complaint = complaint(about: $0)
                    XCTAssertTrue(complaint.contains("Unknown option"), complaint)
                    XCTAssertFalse(complaint.contains("redirects"), complaint)
                }
            }
        }
    }

    func testAParameterInQuotationMarksBelongsToTheValueOfItsField() throws {
        XCTAssertNoThrow(try Get.parse(["http://h/", "-F", "f=\"a;encoder=base64\"", "-F", "g=a;headers"]))
    }

    func testNoRefusedArgumentIsAnOption() throws {
        for word in CommandLineAdvice.table.flatMap(\.spellings) where word != "-c" && word != "-n" {
            XCTAssertThrowsError(try Get.parse(["http://h/", word])) {
                let complaint = complaint(about: $0)
                XCTAssertTrue(complaint.contains("In place of curl's "), "\(word): \(complaint)")
                XCTAssertFalse(complaint.contains("Did you mean"), "\(word): \(complaint)")
            }
        }
    }

    private func complaint(about error: any Error) -> String {
        FreshetCommand.message(insteadOf: FreshetCommand.fullMessage(for: error))
    }
}
