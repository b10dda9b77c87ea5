/// A stream as one line of text. One column is one unit of time. Only this file and its reader know the syntax.
///
///     -a--(bc)-'two words'<60>|
///
/// `-` is a column without an event, and `<60>` stands for sixty of them. `|` is the completion and `#` an error. A
/// Unicode scalar without another meaning is an element of that name. Any other element stands in `'…'`, where `\'`,
/// `\\` and `\n` have the same meaning as in Swift. Events of one column stand in parentheses. White space between
/// these signs has no meaning.
///
/// Written lines are canonical: up to 40 columns without an event are dashes, more are a number, and nothing is quoted
/// or grouped unnecessarily. Reading a written line gives the line that was written. Writing a line that was read from
/// canonical text gives the same text.
package struct MarbleLine: Equatable {
    package enum Sign: Hashable {
        case element(String)
        case failure
        case end
    }

    package struct Mark: Hashable {
        package let column: Int
        package let sign: Sign

        package init(_ column: Int, _ sign: Sign) {
            // The width of the line is one more.
            self.column = min(column, .max - 1)
            self.sign = sign
        }
    }

    /// The marks in the order of their columns.
    package var marks: [Mark]
    /// The minimum number of columns. A silence after the last mark counts too.
    package var width: Int

    package init(_ marks: [Mark] = [], width: Int = 0) {
        self.marks = marks
        self.width = max(width, marks.last.map { $0.column + 1 } ?? 0)
    }

    static let longestDashes = 40
    static let reserved: Set<Unicode.Scalar> = ["-", "|", "#", "(", ")", "<", ">", "'", "\\"]
}

extension MarbleLine {
    /// The line as text.
    package var text: String {
        var text = ""
        var column = 0
        var rest = marks[...]
        while let next = rest.first?.column {
            let group = rest.prefix { $0.column == next }
            rest = rest.dropFirst(group.count)
            let signs = group.map(\.sign.text).joined()
            text += Self.silence(next - column) + (group.count > 1 ? "(\(signs))" : signs)
            column = next + 1
        }
        return text + Self.silence(width - column)
    }

    private static func silence(_ columns: Int) -> String {
        columns > longestDashes ? "<\(columns)>" : String(repeating: "-", count: columns)
    }
}

extension MarbleLine.Sign {
    fileprivate var text: String {
        switch self {
        case .failure: return "#"
        case .end: return "|"
        case .element(let name):
            let scalars = name.unicodeScalars
            if scalars.count == 1, let scalar = scalars.first, scalar.isPlain { return name }
            return "'" + scalars.map(\.quoted).joined() + "'"
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isPlain: Bool {
        if MarbleLine.reserved.contains(self) || properties.isWhitespace { return false }
        switch properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .spacingMark, .surrogate: return false
        default: return true
        }
    }

    fileprivate var quoted: String {
        switch self {
        case "'", "\\": "\\\(self)"
        case "\n": "\\n"
        default: String(self)
        }
    }
}

extension MarbleLine.Sign {
    /// The sign for `event`. An element is shown by its description.
    package init<Element>(_ event: Event<Element>) {
        self =
            switch event {
            case .next(let element): .element(String(describing: element))
            case .error: .failure
            case .completed: .end
            }
    }
}
