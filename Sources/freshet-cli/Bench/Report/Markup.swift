/// HTML. What is put into it as text is escaped, so that nothing that came from outside can be taken for markup.
struct Markup: ExpressibleByStringInterpolation, Sendable {
    private(set) var html: String

    init(stringLiteral html: String) {
        self.html = html
    }

    init(stringInterpolation: Interpolation) {
        html = stringInterpolation.html
    }

    /// Several, one after the other.
    init(_ parts: some Sequence<Markup>) {
        html = parts.map(\.html).joined()
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            html.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { html += literal }
        mutating func appendInterpolation(_ text: String) { html += Markup.escaped(text) }
        mutating func appendInterpolation(_ number: Int) { html += String(number) }
        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }
        mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { html += part.html } }

        /// A number with at most two decimals, for places and sizes.
        mutating func appendInterpolation(_ number: Double) {
            let rounded = (number * 100).rounded() / 100
            html += rounded.isFinite ? (Int(exactly: rounded).map(String.init) ?? "\(rounded)") : "0"
        }
    }

    /// `text` for between tags and for between quotes.
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
            // Neither a control character nor one that turns the direction of what follows has a use here.
            case "\u{0}"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
