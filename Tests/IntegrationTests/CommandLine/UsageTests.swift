import XCTest

final class UsageTests: XCTestCase {
    func testInvalidArgumentsEndWithStatus2AndAnError() throws {
        let wrong: [[String]] = [
            [], ["fetch"], ["get"], ["get", "http://h/", "--nonsense"], ["get", "http://h/", "extra"],
            ["get", "http://h/", "--timeout", "soon"], ["get", "http://h/", "--timeout", "0"],
            ["get", "http://h/", "--timeout", "nan"], ["get", "http://h/", "--retry", "-1"],
            ["get", "http://h/", "-H", "no colon"], ["get", "https://h/", "--http2", "--http1.1"],
            ["run", "--concurrency", "0"], ["run", "--max-body", "-1"],
            ["demo", "--requests", "0"], ["demo", "--requests", "100001"], ["login"],
            ["login", "--profile", "p", "--access-token", "secret"],
            ["login", "--profile", "p", "--refresh-token", "-", "--expires-in", "5"],
            ["login", "--profile", "p", "--access-token", "-", "--expires-in", "0"],
            ["events"], ["events", "http://h/", "--limit", "-1"], ["events", "http://h/", "--limit", "all"],
            ["bench"], ["bench", "http://h/", "--requests", "0"], ["bench", "http://h/", "--duration", "0"],
            ["bench", "http://h/", "--concurrency", "0"], ["bench", "http://h/", "--rate", "0"],
            ["bench", "http://h/", "--rate", "nan"], ["bench", "http://h/", "--streams", "0"],
            ["bench", "http://h/", "--streams", "1", "--rate", "1"], ["bench", "http://h/", "--compare", "f"],
            ["bench", "http://h/", "--json", "--report", "-"], ["bench", "http://h/", "--loops", "0"],
            ["logout"], ["status"], ["status", "p"], ["status", "--profile", "p", "--json"],
        ]
        for arguments in wrong {
            let result = try FreshetProcess(arguments).result()
            XCTAssertEqual(result.status, 2, "\(arguments): \(result.errorOutput)")
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: "), "\(arguments): \(result.errorOutput)")
            XCTAssertEqual(result.text, "", "\(arguments)")
        }
    }

    func testAnInvalidArgumentThatMayContainASecretIsNotRepeated() throws {
        for arguments in [
            ["get", "http://h/", "-H", "Bearer s3cret"], ["login", "--profile", "p", "--access-token", "s3cret"],
            ["get", "http://h/", "-H", "Authorization:", "Bearer", "s3cret"],
            ["get", "http://h/", "http://b:s3cret@h/"],
            ["get", "http://h/", "-u", "bob", "s3cret"], ["bench", "http://h/", "-H", "Authorization:", "s3cret"],
            ["login", "--profile", "p", "--access-token", "-", "s3cret"], ["get", "http://h/", "-ps3cret"],
            ["bench", "http://h/", "--json={\"a\": \"s3cret\"}"], ["get", "http://h/", "x\nUsage: freshet s3cret\n"],
            ["run", "s3cret"], ["events", "http://h/", "-H", "a:", "'s3cret', '"], ["get", "http://h/", "-f=s3cret"],
        ] {
            let result = try FreshetProcess(arguments).result()
            XCTAssertEqual(result.status, 2, "\(arguments)")
            XCTAssertFalse(result.errorOutput.contains("s3cret"), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("Usage: freshet \(arguments[0]) "), result.errorOutput)
        }
    }

    func testAnUnexpectedArgumentIsReportedWithItsPlace() throws {
        let quoting = "Put quotation marks around a value that has spaces"
        for (arguments, reason, advice) in [
            (["get", "http://h/", "-H", "a:", "b", "c"], "arguments 5, 6 are unexpected", quoting),
            (["get", "-H", "a:", "b", "c"], "argument 5 is unexpected", quoting),
            (["get", "-X", "b", "http://h/", "b"], "argument 5 is unexpected", quoting),
            (
                ["get", "--", "http://h/", "-o", "x"], "arguments 4, 5 are unexpected",
                "No word behind -- is an option; write options before it"
            ),
            (
                ["get", "--", "http://h/", "-v"], "argument 4 is unexpected",
                "No word behind -- is an option; write options before it"
            ),
            (["get", "http://h/", "-timeout", "5"], "an option that begins with -t is unknown", "two dashes"),
            (["get", "http://h/", "--fail=5"], "The option '--fail' does not take any value", ""),
            (
                ["login", "--profile", "p", "--access-token", "-", "t"], "argument 6 is unexpected",
                "standard input has the tokens"
            ),
            (["get", "http://h/", "http://h/"], "argument 3 is unexpected", ""),
            (["logout", "--profile", "p", "p"], "argument 4 is unexpected", ""),
            (["logout", "--profile", "p", "q"], "argument 4 is unexpected", "Name the profile with --profile NAME"),
        ] {
            let output = try FreshetProcess(arguments).result().errorOutput
            XCTAssertTrue(output.hasPrefix("freshet: \(reason)"), output)
            XCTAssertTrue(advice.isEmpty || output.contains(advice), output)
        }
    }

    func testNumbersAreDecimal() throws {
        for arguments in [
            ["get", "http://h/", "--timeout", "0x1"], ["get", "http://h/", "--timeout", "0x1p3"],
            ["bench", "http://h/", "--rate", "0x10"], ["get", "http://h/", "--rate-limit", "0x5/s"],
            ["get", "http://h/", "--replay", "f", "--replay-speed", "0x1"],
            ["get", "http://h/", "--replay", "f", "--replay-speed", "inf"],
        ] {
            let result = try FreshetProcess(arguments).result()
            XCTAssertEqual(result.status, 2, "\(arguments)")
            XCTAssertTrue(result.errorOutput.contains("is invalid for"), result.errorOutput)
        }
    }

    func testHelpIsWrittenToTheOutputAndListsTheVerbs() throws {
        let help = try freshet("--help")
        XCTAssertEqual(help.status, 0)
        for verb in ["demo", "get", "run", "events", "bench", "login", "logout", "status"] {
            XCTAssertTrue(help.text.contains("  \(verb) "))
            for words in [[verb, "--help"], [verb, "-h"], ["help", verb]] {
                let result = try FreshetProcess(words).result()
                XCTAssertEqual(result.status, 0, "\(words)")
                XCTAssertTrue(result.text.contains("USAGE: freshet \(verb)"), result.text)
                XCTAssertEqual(result.errorOutput, "")
                XCTAssertFalse(result.text.contains("\u{1B}"))
            }
        }
    }

    /// The argument parser traps if the terminal has no room for its second column.
    func testHelpAndErrorsArePrintedOnANarrowTerminal() throws {
        for columns in ["-5", "0", "1", "20", "40"] {
            let help = try freshet("get", "--help", environment: ["COLUMNS": columns])
            XCTAssertEqual(help.status, 0, columns)
            XCTAssertTrue(help.text.contains("--verbose"), columns)
            XCTAssertEqual(try freshet("get", environment: ["COLUMNS": columns]).status, 2, columns)
        }
    }

    func testHelpThatCannotBeWrittenIsAFailure() throws {
        for words in [["--help"], ["help", "get"], ["--version"]] {
            let result = try FreshetProcess(words, redirection: ">/dev/full").result()
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.contains("No space left on device"), result.errorOutput)
        }
    }

    /// The manual's pages are made of the help, and `man` omits the characters that the locale can't show.
    func testHelpIsASCII() throws {
        for verb in ["demo", "get", "run", "events", "bench", "login", "logout", "status"] {
            let text = try FreshetProcess([verb, "--help"]).result().text
            XCTAssertTrue(text.utf8.allSatisfy { $0 < 0x80 }, text)
        }
    }

    func testTheVersionIsPrinted() throws {
        let result = try freshet("--version")
        XCTAssertEqual(result.status, 0)
        XCTAssertNotNil(result.text.wholeMatch(of: /freshet \d+\.\d+\.\d+\n/), result.text)
        XCTAssertEqual(result.errorOutput, "")
    }

    func testAnUnknownVerbIsReportedWithTheVerbsUnlessItMayContainASecret() throws {
        let verbs = "the verbs are demo, get, run, events, bench, login, logout, status"
        for arguments in [["fetch"], ["fetch", "--http2"], ["fetch", "https://h/", "-X", "PUT"], ["help", "fetch"]] {
            let result = try FreshetProcess(arguments).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: fetch is no verb; \(verbs)\n"), result.errorOutput)
        }
        let none = try FreshetProcess([]).result()
        XCTAssertTrue(none.errorOutput.hasPrefix("freshet: a verb is missing; \(verbs)\n"), none.errorOutput)
        let address = try FreshetProcess(["https://user:s3cret@h/"]).result()
        XCTAssertTrue(address.errorOutput.hasPrefix("freshet: the first word is no verb; write freshet get URL\n"))
        XCTAssertFalse(address.errorOutput.contains("s3cret"))
        let method = try FreshetProcess(["post", "http://h/"]).result()
        XCTAssertTrue(method.errorOutput.hasPrefix("freshet: post is no verb; write freshet get -X POST URL\n"))
        let get = try FreshetProcess(["GET", "http://h/"]).result()
        XCTAssertTrue(get.errorOutput.hasPrefix("freshet: GET is no verb; write freshet get URL\n"), get.errorOutput)
    }

    func testASecondURLIsReportedWithTheVerbThatAcceptsSeveral() throws {
        let result = try FreshetProcess(["get", "http://h/", "http://i/"]).result()
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(
            result.errorOutput.contains("freshet run sends requests to several addresses"), result.errorOutput)
    }

    func testSecondsWithAUnitAreReportedWithTheirFormat() throws {
        for words in [["bench", "http://h/", "--duration", "3s"], ["get", "http://h/", "--timeout", "0"]] {
            let result = try FreshetProcess(words).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains("over 0, up to 1000000000, without a unit"), result.errorOutput)
        }
    }

    func testAnOptionWithoutItsLayerIsReportedWithTheOptionToAdd() throws {
        for (word, option) in [("--cache-size", "add --cache FOLDER"), ("--burst", "add --rate-limit RATE")] {
            let result = try FreshetProcess(["get", "http://127.0.0.1:1/", word, "9"]).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains(option), result.errorOutput)
        }
    }

    func testAnErrorSuggestsAnotherVerb() throws {
        let run = try FreshetProcess(["run", "http://h/"]).result()
        XCTAssertTrue(run.errorOutput.contains("freshet run < FILE reads requests"), run.errorOutput)
        let events = try FreshetProcess(["events", "http://h/", "--trace"]).result()
        XCTAssertTrue(events.errorOutput.contains("freshet get -v"), events.errorOutput)
    }

    func testAMistakeThatShowsLateIsReportedWithTheHelpOfItsVerb() throws {
        let result = try FreshetProcess(["get", "-O", "http://127.0.0.1:1/"]).result()
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(
            result.errorOutput.hasSuffix("\nSee 'freshet get --help' for more information.\n"), result.errorOutput)
    }

    func testOptionsOfOtherLoadGeneratorsAreReportedWithTheirCounterpart() throws {
        for (option, counterpart) in [
            "-z": "--duration", "--connections": "--concurrency", "-q": "--rate", "-R": "--rate",
        ] {
            let result = try FreshetProcess(["bench", "http://127.0.0.1:1/", option, "5"]).result()
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains("with \(counterpart) "), result.errorOutput)
        }
    }

    func testAFileWithoutAnEndIsReported() throws {
        for words in [
            ["get", "--hsts", "/dev/zero", "http://127.0.0.1:1/"],
            ["status", "--profile", "p", "--config", "/dev/zero"],
        ] {
            let result = try FreshetProcess(words).result()
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.contains("can't be read: File too large"), result.errorOutput)
        }
    }

    func testAnArgumentThatIsNotUTF8IsRefusedBecauseItWouldBeChanged() throws {
        let run = try FreshetProcess(["get", "http://127.0.0.1:1/"], redirection: #"-d "$(printf 'caf\351')""#)
        let result = run.result()
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(result.errorOutput.contains("argument 4 is not UTF-8"), result.errorOutput)
    }

    func testAMissingBodyFileIsReportedWithItsPath() throws {
        for words in [["-T", "/nowhere/a"], ["-F", "a=@/nowhere/a"]] {
            let result = try freshet(["get", "http://127.0.0.1:1/"] + words)
            XCTAssertTrue(
                result.errorOutput.contains("the file /nowhere/a of the body can't be read"), result.errorOutput)
        }
    }

    func testAnInvalidURLFailsWithInvalidRequest() throws {
        for (address, reason) in [
            ("/relative", "not absolute"), ("ftp://h/", "scheme"), ("http://user:s3cret@h/", "as -u does"),
            ("http://h/a b", "white space"),
        ] {
            let result = try freshet("get", address)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains(reason), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("s3cret"))
        }
    }

    func testNoPartOfAPasswordInAnInvalidURLIsRepeated() throws {
        for url in ["http://me:hunter#2@127.0.0.1:1/", "http://user:secr?et@127.0.0.1:1/", "me:hunter/2@127.0.0.1:1"] {
            let result = try freshet("get", url)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: "), result.errorOutput)
            for part in ["hunter", "secr", "et@", "2@"] {
                XCTAssertFalse(result.errorOutput.contains(part), result.errorOutput)
            }
        }
    }

    func testNumbersOfABenchmarkThatItCannotHoldAreRefused() throws {
        for (words, message) in [
            (["--rate", "1e-12", "--requests", "2"], "--rate is a number from 0.001 to 1000000"),
            (["--rate", "1e-300"], "--rate is a number from 0.001 to 1000000"),
            (["--streams", "\(Int.max)"], "--streams is a number from 1 to 1000000"),
            (["-c", "2000000"], "--concurrency is a number from 1 to 10000"),
        ] {
            let result = try freshet(["bench", "http://127.0.0.1:1"] + words)
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(result.errorOutput.contains(message), result.errorOutput)
        }
    }

    func testAForbiddenHeaderFailsWithInvalidRequest() throws {
        for header in ["A: b\r\nC: d", "A: \u{1}", "A b: c"] {
            let result = try freshet("get", "http://127.0.0.1:1/", "-H", header)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: "), result.errorOutput)
        }
    }

    func testAnInvalidMethodOrBodyFailsWithInvalidRequest() throws {
        XCTAssertTrue(try freshet("get", "http://h/", "-X", "A B").errorOutput.hasPrefix("freshet: invalid_request: "))
        let result = try freshet("get", "http://h/", "-d", "@/nowhere/at/all")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("invalid_request: the body can't be read from /nowhere/at/all"))
    }

    func testAClosedStandardInputIsNamed() throws {
        for words in [["-d", "@-"], ["-T", "-"], ["-d", "a", "-d", "@-"]] {
            let result = try FreshetProcess(["get", "http://h/"] + words, redirection: "<&-").result()
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(
                result.errorOutput.hasPrefix(
                    "freshet: invalid_request: the standard input can't be read: Bad file descriptor; connect it with "),
                result.errorOutput)
        }
    }

    func testAnOutputThatCannotBeWrittenIsRefusedBeforeAnythingIsSent() throws {
        let result = try freshet("get", "http://127.0.0.1:1/", "-o", "/nowhere/at/all")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("invalid_request: the file /nowhere/at/all can't be written"))
    }
}
