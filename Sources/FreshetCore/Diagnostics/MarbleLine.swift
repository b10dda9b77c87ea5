/// A stream as one line of text: a column is a unit of time. The one place that knows the syntax.
///
///     -a--(bc)-'two words'<60>|
///
/// `-` is a column of nothing and `<60>` sixty of them; `|` is the end and `#` a failure. A Unicode scalar that means
/// nothing else is an element of that name; any other element stands in `'…'`, where `\'`, `\\` and `\n` are as in Swift.
/// What happens in one column stands in parentheses. White space between these says nothing.
///
/// Written lines are canonical: a silence of up to 40 columns is dashes, a longer one is a number, nothing is quoted or
/// grouped that need not be. Reading a line that was written gives what was written, and writing what was read from a
/// canonical line gives that line.
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
            self.column = column
            self.sign = sign
        }
    }

    /// In the order of their columns.
    package var marks: [Mark]
    /// How many columns the line has at least: a silence after the last mark counts too.
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
    /// How `event` shows: an element as it describes itself.
    package init<Element>(_ event: Event<Element>) {
        self =
            switch event {
            case .next(let element): .element(String(describing: element))
            case .error: .failure
            case .completed: .end
            }
    }
}
