import XCTest

@testable import freshet_cli

final class CommandArgumentsTests: XCTestCase {
    func testTheErrorMessageNamesTheProfileOfTheCommand() {
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile", "api", "http://h/"]), "api")
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile=api"]), "api")
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile"]), "NAME")
        XCTAssertEqual(CommandArguments.profile(in: []), "NAME")
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile", "my api"]), "'my api'")
        XCTAssertEqual(CommandArguments.profile(in: ["get", "--profile", "it's;id"]), #"'it'\''s;id'"#)
    }

    func testACommandLineOfTheKernelIsSplitAtNULsAndKeepsEmptyArguments() {
        XCTAssertEqual(CommandArguments.split(Array("freshet\0get\0\0-d\0a b\0".utf8)), ["get", "", "-d", "a b"])
        XCTAssertEqual(CommandArguments.split(Array("freshet\0get\0\0".utf8)), ["get", ""])
        XCTAssertEqual(CommandArguments.split(Array("freshet\0".utf8)), [])
        XCTAssertEqual(CommandArguments.split([]), [])
    }

    /// The list of processes shows the words to every user of the machine.
    func testOnlyTheSecretPartOfAWordIsBlanked() {
        for (words, blanked) in [
            (["-u", "me:PW"], ["-u", "me:**"]), (["-ume:PW"], ["-ume:**"]), (["--user=me:PW"], ["--user=me:**"]),
            (["-su", "me:PW"], ["-su", "me:**"]), (["-fsSLu", "me:PW"], ["-fsSLu", "me:**"]),
            (["-sume:PW"], ["-sume:**"]), (["--user", "me:P:W"], ["--user", "me:***"]),
            (["--pass", "PW"], ["--pass", "**"]), (["--pass=PW"], ["--pass=**"]),
            (["-E", "a:PW"], ["-E", "a:**"]), (["-Ea:PW"], ["-Ea:**"]), (["--cert=a:PW"], ["--cert=a:**"]),
            (["--cert", #"a\:b\\:PW"#], ["--cert", #"a\:b\\:**"#]),
            (["-x", "http://u:PW@h:80"], ["-x", "http://u:**@h:80"]), (["-sxu:P@W@h"], ["-sxu:***@h"]),
            (["--proxy=socks5h://ü:Pé@h"], ["--proxy=socks5h://ü:***@h"]),
        ] { XCTAssertEqual(hidden(["get"] + words), ["get"] + blanked) }
        XCTAssertEqual(hidden(["bench", "--json", "-u", "me:PW"]), ["bench", "--json", "-u", "me:**"])
    }

    func testAWordThatOnlyLooksLikeASecretStays() {
        for words in [
            ["-u", "me"], ["-H", "-ua:b"], ["-d", "--pass=a", "http://h:80/"], ["-x", "http://h:80"], ["-E", "file"],
            ["--", "-ua:b"], ["-oua:b"], ["--pass"], ["-x", "@://a"],
        ] { XCTAssertEqual(hidden(["get"] + words), ["get"] + words) }
    }

    private func hidden(_ words: [String]) -> [String] {
        zip(words, SecretArguments.ranges(in: words)).map { word, secret in
            var bytes = Array(word.utf8)
            bytes.replaceSubrange(secret, with: Array(repeating: UInt8(ascii: "*"), count: secret.count))
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
