import XCTest

/// Tests the completions that the argument parser generates for the shells.
final class CompletionTests: XCTestCase {
    private let verbs = ["demo", "get", "run", "events", "bench", "login", "logout", "status"]

    private func script(_ shell: String) throws -> String {
        let result = try freshet("--generate-completion-script", shell)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.errorOutput, "")
        return result.text
    }

    /// The words that the shell offers for the last word of `words`, and before them `-o` or `+o`, which says whether they are
    /// names of files.
    ///
    /// - Parameter line: the line, if it is not the words with a space between them: bash splits words at a colon, too.
    private func completion(of words: [String], in line: String? = nil, with script: String) throws -> [String] {
        let bash = Process()
        let output = Pipe()
        bash.executableURL = URL(fileURLWithPath: "/bin/bash")
        let line = line ?? words.joined(separator: " ")
        let send = """
            compopt() { kind=$1; } && source '\(script)' && COMP_WORDS=(\(words.joined(separator: " "))) \
            COMP_LINE='\(line)' && COMP_CWORD=\(words.count - 1) COMP_POINT=${#COMP_LINE} && \
            _freshet freshet '\(words.last ?? "")' '\(words.dropLast().last ?? "")' && \
            printf '%s\\n' "$kind" "${COMPREPLY[@]}"
            """
        bash.arguments = ["--norc", "-c", send]
        bash.standardOutput = output
        try bash.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        bash.waitUntilExit()
        XCTAssertEqual(bash.terminationStatus, 0)
        return text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private func offers(_ words: [String], in line: String? = nil, with script: String) throws -> [String] {
        Array(try completion(of: words, in: line, with: script).dropFirst())
    }

    func testOnlyTheNameOfAFileGetsASlashIfItIsAFolder() throws {
        let path = try temporaryFile(try script("bash"), named: "freshet.bash")
        for (words, kind) in [
            (["freshet", "ru"], "+o"), (["freshet", "get", "--profile", "''"], "+o"),
            (["freshet", "get", "-X", "PA"], "+o"), (["freshet", "get", "-o", "''"], "-o"),
            (["freshet", "get", "--cache", "''"], "-o"), (["freshet", "get", "--config", "''"], "-o"),
        ] { XCTAssertEqual(try completion(of: words, with: path).first, kind, "\(words)") }
    }

    func testEachShellHasACompletionScript() throws {
        for (shell, beginning) in [("bash", "#!/bin/bash"), ("zsh", "#compdef freshet"), ("fish", "function")] {
            let text = try script(shell)
            XCTAssertTrue(text.hasPrefix(beginning), "\(shell): \(text.prefix(80))")
            for word in verbs + ["last-event-id", "concurrency"] {
                XCTAssertTrue(text.contains(word), "\(shell): \(word)")
            }
        }
    }

    func testTheBashScriptOffersVerbsAndOptions() throws {
        let path = try temporaryFile(try script("bash"), named: "freshet.bash")
        XCTAssertEqual(Set(verbs).subtracting(try offers(["freshet", "''"], with: path)), [])
        XCTAssertEqual(try offers(["freshet", "ru"], with: path), ["run"])
        XCTAssertTrue(try offers(["freshet", "events", "--l"], with: path).contains("--last-event-id"))
        XCTAssertEqual(try offers(["freshet", "get", "-X", "PA"], with: path), ["PATCH"])
        XCTAssertEqual(Set(try offers(["freshet", "help", "''"], with: path)), Set(verbs))
        XCTAssertEqual(try offers(["freshet", "help", "logo"], with: path), ["logout"])
        XCTAssertEqual(try offers(["freshet", "login", "--access-token", "''"], with: path), ["-"])
        XCTAssertEqual(try offers(["freshet", "login", "--refresh-token", "''"], with: path), ["-"])
        XCTAssertEqual(
            Set(try offers(["freshet", "login", "--callback-host", "''"], with: path)),
            ["127.0.0.1", "::1", "localhost"])
    }

    func testOptionsAreOfferedAfterAWordThatBashSplits() throws {
        let path = try temporaryFile(try script("bash"), named: "freshet.bash")
        for (words, line) in [
            (["http", ":", "//x/"], "http://x/"), (["-H", "A", ":", "b", "x"], "-H A:b x"),
            (["-H", "A", ":", "b", "http", ":", "//x", ":", "80/?a", "=", "1"], "-H A:b  http://x:80/?a=1"),
            (["--retry", "=", "2", "http", ":", "//x/"], "--retry=2 http://x/"),
            (["-H", "A", ":", "http", ":", "//x/"], "-H A: http://x/"),
            (["-d", "@", "a.json", "http", ":", "//x/"], "-d @a.json http://x/"),
            (["-d", "::", "a", "=:", "x"], "-d ::a=: x"),
        ] {
            let offered = try offers(
                ["freshet", "get"] + words + ["--cach"], in: "freshet get \(line) --cach", with: path)
            XCTAssertEqual(offered, ["--cache", "--cache-size"], line)
        }
        // A second address is still one too many, and a value is no option.
        for (words, line) in [
            (["http", ":", "//x/", "http", ":", "//y/", "--cach"], "http://x/ http://y/ --cach"),
            (["http", ":", "//x/", "-H", "A", ":", "--cach"], "http://x/ -H A:--cach"),
            (["http", ":", "--cach"], "http:--cach"), (["http", ":", "''"], "http:"),
        ] { XCTAssertEqual(try offers(["freshet", "get"] + words, in: "freshet get \(line)", with: path), [], line) }
        let config = try temporaryFile(#"{"profiles": {"one": {}}}"#, named: "config.json")
        let command = FreshetProcess.executable.path
        let words = [command, "get", "--config", "=", config, "http", ":", "//x/", "--profile", "o"]
        let line = "\(command) get --config=\(config) http://x/ --profile o"
        XCTAssertEqual(try offers(words, in: line, with: path), ["one"])
    }

    func testTheNamesOfProfilesAreOffered() throws {
        let config = try temporaryFile(#"{"profiles": {"one": {}, "two": {}}}"#, named: "config.json")
        let result = try freshet(
            "---completion", "get", "--", "--profile", "1", "0", "freshet", "get", "--profile", "",
            environment: ["FRESHET_CONFIG": config])
        XCTAssertEqual(Set(result.lines), ["one", "two"], result.errorOutput)
    }

    func testTheNamesOfProfilesAreThoseOfTheOptionConfig() throws {
        let config = try temporaryFile(#"{"profiles": {"one": {}}}"#, named: "config.json")
        // bash splits a word at the equals sign.
        for option in [["--config", config], ["--config=\(config)"], ["--config", "=", config]] {
            let words = ["freshet", "get"] + option + ["--profile", ""]
            let result = try freshet(["---completion", "get", "--", "--profile", "\(words.count - 1)", "0"] + words)
            XCTAssertEqual(result.lines, ["one"], "\(option)")
        }
    }

    /// bash expands the words that it is offered, so it would run a command in the name of a profile.
    func testANameThatAShellWouldExpandIsNotOffered() throws {
        let path = try temporaryFile(try script("bash"), named: "freshet.bash")
        let mark = try temporaryDirectory().appendingPathComponent("mark").path
        let names = [
            "one", "w.o_r-k@h/2+", "für", "$(touch \(mark))", "`touch \(mark)`", "a'b", "pro d", "~", "*", "a;b",
            "$HOME", "a\\nb", "",
        ]
        let profiles = names.map { "\"\($0)\": {}" }.joined(separator: ", ")
        let config = try temporaryFile("{\"profiles\": {\(profiles)}}", named: "config.json")
        let words = [FreshetProcess.executable.path, "status", "--config", config, "--profile"]
        XCTAssertEqual(Set(try offers(words + ["''"], with: path)), Set(names.prefix(3)))
        XCTAssertEqual(try offers(words + ["w"], with: path), [names[1]])
        XCTAssertFalse(FileManager.default.fileExists(atPath: mark))
    }
}
