import Foundation

/// A colour or a weight of text.
enum Style: String {
    case red, green, yellow, cyan, bold, dim

    fileprivate var code: Int {
        switch self {
        case .red: 31
        case .green: 32
        case .yellow: 33
        case .cyan: 36
        case .bold: 1
        case .dim: 2
        }
    }
}

/// A line of text whose parts have styles, for the terminal or for a picture.
struct StyledText {
    private(set) var parts: [(text: String, style: Style?)] = []

    init(_ text: String = "", _ style: Style? = nil) {
        append(text, style)
    }

    mutating func append(_ text: String, _ style: Style? = nil) {
        if text.isEmpty { return }
        if let last = parts.last, last.style == style {
            parts[parts.count - 1].text += text
        } else {
            parts.append((text, style))
        }
    }

    static func + (line: StyledText, more: StyledText) -> StyledText {
        more.parts.reduce(into: line) { $0.append($1.text, $1.style) }
    }

    /// The line without the blanks at its end.
    var trimmed: StyledText {
        var line = self
        while let last = line.parts.popLast() {
            guard let end = last.text.lastIndex(where: { $0 != " " }) else { continue }
            line.append(String(last.text[...end]), last.style)
            break
        }
        return line
    }

    /// The text for standard output. Styles are left out unless that is a terminal that supports them; see `NO_COLOR` and `TERM`.
    var terminalText: String {
        parts.map { text, style in
            guard Self.hasStyles, let style else { return text }
            return "\u{1B}[\(style.code)m\(text)\u{1B}[0m"
        }.joined()
    }

    private static let hasStyles =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"
}
