import XCTest

/// The advice about words of a command line that are nearly right.
final class UsageAdviceTests: XCTestCase {
    func testAValueWithoutQuotationMarksBeforeTheAddressIsNoSecondAddress() throws {
        for words in [
            ["-H", "Accept:", "application/json", "http://h/x"], ["-HOrigin:", "http://o/", "http://h/x"],
            ["http://h/x", "--header", "Origin:", "http://o/"], ["-A", "My", "Agent", "http://h/x"],
        ] {
            let result = try FreshetProcess(["get"] + words).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(
                result.errorOutput.contains("Put quotation marks around a value that has spaces"), result.errorOutput)
        }
        for words in [["-H", "A: b", "h.example", "http://h/x"], ["localhost", "http://h/x"]] {
            let result = try FreshetProcess(["get"] + words).result()
            XCTAssertTrue(
                result.errorOutput.contains("freshet run sends requests to several addresses"), result.errorOutput)
        }
    }

    func testASurplusWordIsExplainedAsWhatItLooksLike() throws {
        let quotes = "Put quotation marks around a value that has spaces"
        let fields = "Write a field of the head as -H 'Name: value', and data with -d"
        let profile = ", and the name of a profile as --profile NAME"
        for (words, advice) in [
            (["get", "http://h/", "a=s3cret"], "\(fields) or --json"),
            (["get", "http://h/", "a:s3cret"], "\(fields) or --json"),
            (["get", "-X", "POST", "http://h/", "a=s3cret", "b"], "\(fields) or --json"),
            (["get", "http://h/", "-X", "POST", "a:=1"], "\(fields) or --json"),
            (["get", "http://h/", "-H", "A: b", "a=1"], "\(fields) or --json"),
            (["bench", "http://h/", "a=1"], fields),
            (["get", "http://h/", "-d", "a", "b=s3cret"], quotes), (["get", "http://h/", "-dtext=a", "b:"], quotes),
            (["get", "http://h/", "-H", "A:", "b=s3cret"], quotes), (["get", "-A", "My", "Agent", "a=1"], quotes),
            (["get", "http://h/", "s3cret"], quotes + profile),
            (["events", "-s", "http://h/", "work"], quotes + profile),
            (["get", "http://h/", "work", "-v"], quotes + profile),
            (["get", "http://h/", "-A", "My", "Agent"], quotes),
            (["get", "http://h/", "two", "words"], quotes),
        ] {
            let output = try FreshetProcess(words).result().errorOutput
            let lines = output.split(separator: "\n").map(String.init)
            XCTAssertTrue(lines.contains(advice), "\(words): \(output)")
            XCTAssertFalse(output.contains("s3cret"), output)
        }
    }

    func testAMisspelledProfileOptionIsReportedWithTheRightOne() throws {
        for verb in ["login", "logout", "status"] {
            let result = try FreshetProcess([verb, "--profil", "api"]).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(
                result.errorOutput.hasPrefix("freshet: Unknown option '--profil'. Did you mean '--profile'?"),
                result.errorOutput)
        }
    }

    func testAnUnknownOptionIsReportedWhereTheAddressIsMissingToo() throws {
        for (words, expected) in [
            (["get", "--hlep"], "Unknown option '--hlep'. Did you mean '--help'?"),
            (["run", "--halp"], "Unknown option '--halp'. Did you mean '--help'?"),
            (["get", "--http"], "Unknown option '--http'. Did you mean '--http2'?"),
            (["get", "-V"], "Unknown option '-V'"), (["get", "-s"], "Missing expected argument '<url>'"),
            (["get"], "Missing expected argument '<url>'"),
        ] {
            let result = try FreshetProcess(words).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: \(expected)"), result.errorOutput)
        }
    }

    func testAMissingProfileIsReportedWithItsOption() throws {
        for verb in ["login", "logout", "status"] {
            let result = try FreshetProcess([verb]).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: --profile is missing; "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("'freshet \(verb) --help'"), result.errorOutput)
        }
    }

    /// `--request 5` is meant as `--requests 5`.
    func testABenchmarkRefusesAMethodOfDigits() throws {
        for option in ["--request", "-X"] {
            let result = try FreshetProcess(["bench", option, "5", "http://127.0.0.1:1/"]).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains("--requests N"), result.errorOutput)
        }
    }
}
