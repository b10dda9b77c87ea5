import ArgumentParser
import Foundation
import XCTest

@testable import freshet_cli

/// Tests which words are split as in curl, and which are left alone.
final class JoinedOptionsTests: XCTestCase {
    func testFlagsAndTheValueAreSplitOffAnOption() {
        XCTAssertEqual(split("-sXPOST", "-da=b", "-fo", "f"), ["-s", "-X", "POST", "-d", "a=b", "-f", "-o", "f"])
    }

    func testTheValueOfAnOptionThatIsRefusedIsSplitOffToo() {
        XCTAssertEqual(split("-bname=v", "-sr0-5", "-C-"), ["-b", "name=v", "-s", "-r", "0-5", "-C", "-"])
    }

    func testFlagsWithoutAnOptionAreNotSplit() {
        XCTAssertEqual(split("-sSfL", "-d", "u", "-", "-v", "-sz"), ["-sSfL", "-d", "u", "-", "-v", "-sz"])
    }

    func testAValueThatBeginsWithADashIsJoinedToItsOption() {
        XCTAssertEqual(split("-d", "-sXPOST", "-sd", "-iXPUT"), ["-d=-sXPOST", "-s", "-d=-iXPUT"])
        XCTAssertEqual(split("--data-raw", "-sXPOST", "--json", "-io"), ["--data-raw=-sXPOST", "--json=-io"])
        XCTAssertEqual(split("-d-sXPOST", "-sv"), ["-d=-sXPOST", "-sv"])
        XCTAssertEqual(
            split("-o", "---", "-d", "--", "-T", "-", "-sXa"), ["-o=---", "-d=--", "-T", "-", "-s", "-X", "a"])
        XCTAssertEqual(JoinedOptions.split(["login", "--scope", "-a"]), ["login", "--scope=-a"])
    }

    func testAValueThatLooksLikeAnOptionTakesNoValueItself() {
        XCTAssertEqual(split("-d-x", "-sXPUT", "u"), ["-d=-x", "-s", "-X", "PUT", "u"])
        XCTAssertEqual(split("-sd", "-x", "-sXPUT"), ["-s", "-d=-x", "-s", "-X", "PUT"])
    }

    func testJSONIsAnOptionWithAValueOrAFlagAsTheVerbSays() {
        XCTAssertEqual(JoinedOptions.split(["events", "--json", "-dx"]), ["events", "--json=-dx"])
        XCTAssertEqual(JoinedOptions.split(["bench", "--json", "-dx"]), ["bench", "--json", "-d", "x"])
    }

    func testEveryOptionOfEveryVerbIsKnownToTakeAValueOrNot() throws {
        struct Name: Decodable { let kind, name: String }
        struct Argument: Decodable { let kind: String, names: [Name]? }
        struct Command: Decodable { let commandName: String, arguments: [Argument]?, subcommands: [Command]? }
        struct Help: Decodable { let command: Command }
        let help = try JSONDecoder().decode(Help.self, from: Data(FreshetCommand._dumpHelp().utf8))
        let verbs = try XCTUnwrap(help.command.subcommands)
        XCTAssertGreaterThanOrEqual(verbs.count, 8)
        for verb in verbs {
            for argument in verb.arguments ?? [] where argument.kind != "positional" {
                for name in argument.names ?? [] {
                    let word = (name.kind == "long" ? "--" : "-") + name.name
                    XCTAssertEqual(
                        JoinedOptions.needsValue(word, of: verb.commandName), argument.kind == "option",
                        "\(verb.commandName) \(word)")
                }
            }
        }
    }

    func testArgumentsAfterTwoDashesAndOfOtherVerbsAreNotSplit() {
        XCTAssertEqual(split("-sXPUT", "--", "-sXPOST"), ["-s", "-X", "PUT", "--", "-sXPOST"])
        XCTAssertEqual(JoinedOptions.split(["login", "-sXPOST"]), ["login", "-sXPOST"])
        XCTAssertEqual(JoinedOptions.split([]), [])
    }

    private func split(_ words: String...) -> [String] {
        Array(JoinedOptions.split(["get"] + words).dropFirst())
    }
}
