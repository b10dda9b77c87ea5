import XCTest

@testable import freshet_cli

/// Tests that every command line in the documentation, in an example or within a sentence, has words that the command takes.
final class DocumentedCommandLineTests: XCTestCase {
    func testEveryCommandLineInTheDocumentationIsAccepted() throws {
        var count = 0
        for page in try Documentation.pages() {
            for line in Self.commands(in: try Documentation.text(of: page)) {
                count += 1
                XCTAssertNoThrow(try FreshetCommand.command(of: line), "\(page): \(line)")
            }
        }
        XCTAssertGreaterThan(count, 30)
    }

    func testCommandLinesAreExtractedFromADocument() {
        let text = """
            `freshet get -v` and `freshet`
            $ seq 3 | freshet run -c 2 | jq '.a | .b'
            $ freshet get "http://h/a b" --json '{"a": 1}' >> file
            """
        XCTAssertEqual(
            Self.commands(in: text),
            [["get", "-v", "http://h/"], ["run", "-c", "2"], ["get", "http://h/a b", "--json", "{\"a\": 1}"]])
    }

    /// The words after `freshet` of each command line that has a verb. A sentence can leave out the address.
    private static func commands(in text: String) -> [[String]] {
        text.split(separator: "\n").flatMap { line -> [[String]] in
            if line.hasPrefix("$ ") || line.hasPrefix("freshet ") {
                return Self.pipeline(line.hasPrefix("$ ") ? line.dropFirst(2) : line).compactMap { arguments in
                    arguments.first == "freshet" ? Array(arguments.dropFirst()) : nil
                }
            }
            guard line.contains("`freshet ") else { return [] }
            return line.matches(of: #/`freshet ([a-z][^`]*)`/#).map { match in
                let arguments = Self.pipeline(match.1)[0]
                let needsURL = ["get", "events", "bench"].contains(arguments[0]) && !arguments.contains("URL")
                return arguments + (needsURL ? ["http://h/"] : [])
            }
        }
    }

    /// The words of the commands of a pipeline, up to a redirection.
    private static func pipeline(_ line: Substring) -> [[String]] {
        var commands: [[String]] = [[]]
        var argument: String?
        var quote: Character?
        for character in line + " " {
            switch character {
            case quote: quote = nil
            case _ where quote != nil: argument?.append(character)
            case "'", "\"": (quote, argument) = (character, argument ?? "")
            case " ", "|":
                if let argument { commands[commands.count - 1].append(argument) }
                argument = nil
                if character == "|" { commands.append([]) }
            default: argument = (argument ?? "") + String(character)
            }
        }
        return commands.map { Array($0.prefix { !$0.hasPrefix(">") }) }
    }
}
