extension MarbleLine {
    /// The error for text that is no valid line.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads `text`.
    package init(reading text: String) throws(Malformed) {
        var reader = MarbleReader(text)
        self = try reader.line()
    }
}

/// Reads Unicode scalars instead of characters, because a mark that combines with a quote would hide the quote.
private struct MarbleReader {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var column = 0
    private var marks: [MarbleLine.Mark] = []

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func line() throws(MarbleLine.Malformed) -> MarbleLine {
        while let scalar = next() {
            switch scalar {
            case "-": column += 1
            case "<": column += try silence()
            case "(":
                try group()
                column += 1
            default:
                try mark(scalar)
                column += 1
            }
        }
        return MarbleLine(marks, width: column)
    }

    private mutating func group() throws(MarbleLine.Malformed) {
        while let scalar = next() {
            switch scalar {
            case ")": return
            case "-", "<", "(": throw malformed("'\(scalar)' in parentheses, which are one column")
            default: try mark(scalar)
            }
        }
        throw malformed("'(' without ')'")
    }

    private mutating func mark(_ scalar: Unicode.Scalar) throws(MarbleLine.Malformed) {
        switch scalar {
        case "|": marks.append(.init(column, .end))
        case "#": marks.append(.init(column, .failure))
        case "'": marks.append(.init(column, .element(try quoted())))
        case ")", ">", "\\": throw malformed("'\(scalar)' without what it belongs to")
        default: marks.append(.init(column, .element(String(scalar))))
        }
    }

    private mutating func quoted() throws(MarbleLine.Malformed) -> String {
        var name = ""
        while let scalar = read() {
            switch scalar {
            case "'": return name
            case "\\":
                switch read() {
                case "n": name.unicodeScalars.append("\n")
                case "'": name.unicodeScalars.append("'")
                case "\\": name.unicodeScalars.append("\\")
                default: throw malformed("a '\\' before neither n nor ' nor \\")
                }
            default: name.unicodeScalars.append(scalar)
            }
        }
        throw malformed("a ' without another")
    }

    private mutating func silence() throws(MarbleLine.Malformed) -> Int {
        var digits = ""
        while let scalar = read() {
            if scalar == ">", let columns = Int(digits), columns >= 0 { return columns }
            digits.unicodeScalars.append(scalar)
        }
        throw malformed("'<' without a number of columns and '>'")
    }

    /// The next scalar that is not white space.
    private mutating func next() -> Unicode.Scalar? {
        while let scalar = read() {
            if !scalar.properties.isWhitespace { return scalar }
        }
        return nil
    }

    private mutating func read() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        defer { position += 1 }
        return scalars[position]
    }

    private func malformed(_ what: String) -> MarbleLine.Malformed {
        let text = String(String.UnicodeScalarView(scalars))
        return MarbleLine.Malformed(description: "marbles \(text): \(what), at column \(column)")
    }
}
