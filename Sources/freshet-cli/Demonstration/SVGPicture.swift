/// Lines of a terminal as an SVG picture. The marks of a time line become shapes, which look the same with every font. The
/// colours follow the reader's choice of a light or dark screen.
struct SVGPicture {
    private(set) var text: String

    /// The size of a character. The font is as large as makes its characters this wide.
    private static let (width, height) = (8, 18)
    private static let margin = 16
    private static let colors: [(name: String, light: String, dark: String)] = [
        ("page", "#f6f8fa", "#161b22"), ("ink", "#1f2328", "#e6edf3"), ("bold", "#1f2328", "#e6edf3"),
        ("dim", "#8c959f", "#7d8590"), ("red", "#d1242f", "#f85149"), ("green", "#1a7f37", "#3fb950"),
        ("yellow", "#bf8700", "#d29922"), ("cyan", "#0969da", "#58a6ff"),
    ]
    private static let style = """
        text{font:13.3px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}.bold{font-weight:bold}.shade{opacity:.45}
        \(colors.map { ".\($0.name){fill:\($0.light)}" }.joined())
        @media(prefers-color-scheme:dark){\(colors.map { ".\($0.name){fill:\($0.dark)}" }.joined())}
        """

    init(of lines: [StyledText]) {
        let columns = lines.map { $0.parts.reduce(0) { $0 + $1.text.count } }.max() ?? 0
        let size = (columns * Self.width + 2 * Self.margin, lines.count * Self.height + 2 * Self.margin)
        text = """
            <svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="\(size.0)" height="\(size.1)" viewBox="0 0 \(size.0) \(size.1)">
            <style>\(Self.style)</style>
            <rect class="page" width="100%" height="100%" rx="8"/>

            """
        for (row, line) in lines.enumerated() {
            var column = 0
            for part in line.parts {
                draw(part.text, part.style?.rawValue ?? "ink", row, &column)
            }
        }
        text += "</svg>\n"
    }

    /// Draws each run of the same mark as one shape, and what is between the marks as text.
    private mutating func draw(_ characters: String, _ style: String, _ row: Int, _ column: inout Int) {
        var rest = characters[...]
        while let first = rest.first {
            let isMark = Self.shape(of: first) != nil
            let run = rest.prefix { isMark ? $0 == first : Self.shape(of: $0) == nil }
            let (x, y) = (Self.margin + column * Self.width, Self.margin + row * Self.height)
            let length = run.count * Self.width
            if let shape = Self.shape(of: first) {
                let opacity = first == "░" ? " shade" : ""
                text += "<rect class=\"\(style)\(opacity)\" x=\"\(x)\" y=\"\(y + shape.top)\" width=\"\(length)\" "
                text += "height=\"\(shape.height)\"/>\n"
            } else if run.contains(where: { $0 != " " }) {
                let words = run.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                text += "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y + 13)\" textLength=\"\(length)\">\(words)</text>\n"
            }
            column += run.count
            rest = rest[run.endIndex...]
        }
    }

    /// The rectangle in place of a character, from the top of its line; `nil` for a character that is drawn as text.
    private static func shape(of character: Character) -> (top: Int, height: Int)? {
        switch character {
        case "·": return (8, 2)
        case "─": return (8, 1)
        case "━": return (7, 4)
        case "≈": return (5, 7)
        case "░", "↻": return (3, 11)
        default:
            guard let scalar = character.unicodeScalars.first, ("▁"..."█").contains(scalar) else { return nil }
            let height = 2 * (Int(scalar.value) - 0x2580)
            return (16 - height, height)
        }
    }
}
