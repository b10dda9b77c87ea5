import Foundation

/// A marble diagram in a doc comment: the sources, and the results of operators.
///
///     source:   -a--b-----|
///     delay(3): ----a--b-----|
///
/// A line with parentheses before the colon is a result. All others are sources, which are hot unless the line begins with
/// `cold`. The marbles stand in one column. After them and two spaces, a legend may follow: `A = [a, b], B = --c|`.
struct DocMarbles {
    struct Source {
        let name: String
        let isCold: Bool
        let line: String
    }

    struct Result {
        let call: String
        let line: String
        /// The text that each letter stands for.
        let legend: [String: String]
    }

    let path: String
    var sources: [Source] = []
    var results: [Result] = []

    /// All marble diagrams in the doc comments of the library's core.
    static func all() throws -> [DocMarbles] {
        try OperatorInventory.files(below: "Sources/FreshetCore").flatMap { path in
            let doc = try OperatorInventory.text(path).components(separatedBy: "\n").map { line -> String in
                let line = line.trimmingCharacters(in: .whitespaces)
                return line.hasPrefix("///     ") ? String(line.dropFirst(8)) : ""
            }
            return try blocks(of: doc, in: path)
        }
    }

    static func blocks(of lines: [String], in path: String) throws -> [DocMarbles] {
        var blocks: [DocMarbles] = []
        var block = DocMarbles(path: path)
        var margin: Int?
        for line in lines + [""] {
            guard let (label, marbles, legend, column) = try parts(of: line) else {
                if !block.results.isEmpty { blocks.append(block) }
                block = DocMarbles(path: path)
                margin = nil
                continue
            }
            if let margin, margin != column {
                throw Unclear("\(path): the marbles of \(label) fixture in another column")
            }
            margin = column
            if label.contains("(") {
                block.results.append(Result(call: label, line: marbles, legend: legend))
            } else {
                let isCold = label.hasPrefix("cold ")
                block.sources.append(
                    Source(name: isCold ? String(label.dropFirst(5)) : label, isCold: isCold, line: marbles))
            }
        }
        return blocks
    }

    static func isMarbles(_ line: String) -> Bool { (try? parts(of: line)) != nil }

    struct Unclear: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private static func parts(of line: String) throws -> (String, String, [String: String], Int)? {
        let pattern = #"^((?:cold )?[a-z]\w*(?:\(.*?\))?): +(\S+)(?:  +(\S.*))?$"#
        let expression = try NSRegularExpression(pattern: pattern)
        guard let match = expression.firstMatch(in: line, range: NSRange(line.startIndex..., in: line)) else {
            return nil
        }
        let groups = (1...3).map { Range(match.range(at: $0), in: line).map { String(line[$0]) } ?? "" }
        return (groups[0], groups[1], try legend(groups[2]), match.range(at: 2).location)
    }

    /// Parses a legend such as `A = [a, b], B = --c|` into the meanings of its letters.
    private static func legend(_ text: String) throws -> [String: String] {
        var legend: [String: String] = [:]
        let entries =
            text.isEmpty
            ? []
            : text.replacingOccurrences(
                of: #", (?=\S+ = )"#, with: "\n", options: .regularExpression
            ).components(separatedBy: "\n")
        for entry in entries {
            let sides = entry.components(separatedBy: " = ")
            if sides.count != 2 { throw Unclear("\(text): \(entry) is no meaning") }
            legend[sides[1]] = sides[0]
        }
        return legend
    }
}
