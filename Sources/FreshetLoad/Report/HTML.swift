/// HTML markup. Interpolated text is escaped, so that text from outside cannot become markup.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    private(set) var text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    /// Joins `parts`.
    init(_ parts: some Sequence<HTML>) {
        text = parts.map(\.text).joined()
    }

    /// A paragraph that is shown if there is nothing to draw.
    static func notice(_ text: HTML) -> HTML {
        "<p class=\"empty\">\(text)</p>\n"
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { self.text += literal }
        mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }
        mutating func appendInterpolation(_ number: Int) { self.text += String(number) }
        mutating func appendInterpolation(_ html: HTML) { self.text += html.text }
        mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { self.text += part.text } }

        /// Appends a number with at most two decimals, for positions and sizes.
        mutating func appendInterpolation(_ number: Double) {
            let rounded = (number * 100).rounded() / 100
            text += rounded.isFinite ? (Int(exactly: rounded).map(String.init) ?? "\(rounded)") : "0"
        }
    }

    /// Escapes `text` for use between tags and between quotes.
    static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Control characters and characters that change the direction of text are not needed here.
            case "\u{0}"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
