/// A plot whose text is text of the page: only its lines and areas are stretched to the width that there is, so that it can
/// be read on a phone as well as on a wide screen.
struct Plot {
    struct Mark {
        /// From 0 to 1.
        var part: Double
        var label: String
    }

    /// A vertical line with a label above.
    struct Flag {
        var part: Double
        var label: String

        /// Whether the label stands to the left: on a phone it has no room to the right.
        var isBefore: Bool { part > 0.72 }
    }

    /// The height of the drawing in its own units; 1000 is its width.
    static let height = 300.0

    var title: String
    var unit: String
    var x: [Mark]
    var y: [Mark]
    /// In the units of the drawing.
    var drawing: [Markup]
    var flags: [Flag] = []
    /// What to tell of each of the equal parts of the width that somebody points at.
    var readouts: [String] = []
    var legend: [(style: String, label: String)] = []

    var markup: Markup {
        """
        <figure class="plot">
        <figcaption><span>\(title)</span> <small>\(unit)</small>\(legendMarkup)</figcaption>
        \(flagMarkup)<div class="frame"><div class="ys" aria-hidden="true">\(y.map {
            "<i style=\"bottom:\($0.part * 100)%\">\($0.label)</i>" as Markup
        })</div>
        <div class="area" data-readouts="\(readouts.joined(separator: "\n"))">
        <svg viewBox="0 0 1000 300" preserveAspectRatio="none" role="img" aria-label="\(title)">\
        \(grid)\(drawing)\(flags.map { flag in
            "<line class=\"flag\" x1=\"\(flag.part * 1000)\" x2=\"\(flag.part * 1000)\" y1=\"0\" y2=\"300\"/>" as Markup
        })</svg>
        <b class="cursor" hidden></b><output hidden></output></div>
        <div class="xs" aria-hidden="true">\(x.map { xMark($0) })</div></div>
        </figure>

        """
    }

    private var grid: Markup {
        Markup(
            y.map {
                let height = Self.height * (1 - $0.part)
                return "<line class=\"grid\" x1=\"0\" x2=\"1000\" y1=\"\(height)\" y2=\"\(height)\"/>"
            })
    }

    /// Those at the ends are kept inside.
    private func xMark(_ mark: Mark) -> Markup {
        let side = mark.part < 0.03 ? " class=\"first\"" : mark.part > 0.97 ? " class=\"last\"" : ""
        return "<i\(Markup(stringLiteral: side)) style=\"left:\(mark.part * 100)%\">\(mark.label)</i>"
    }

    private var legendMarkup: Markup {
        legend.isEmpty
            ? ""
            : "<span class=\"legend\">\(legend.map { "<i class=\"\($0.style)\">\($0.label)</i>" as Markup })</span>"
    }

    /// A row for each, for they may lie anywhere, also on each other. Those above have the longer lines, so of the labels to the
    /// right the first is above, and of those to the left the last.
    private var flagMarkup: Markup {
        if flags.isEmpty { return "" }
        let rows = flags.filter { !$0.isBefore } + flags.filter(\.isBefore).reversed()
        return """
            <div class="flags" aria-hidden="true">\(rows.enumerated().map { row, flag in
                """
                <div><i\(flag.isBefore ? " class=\"before\"" as Markup : "") \
                style="left:\(flag.part * 100)%;height:\(1.35 * Double(rows.count - row))em"><span>\(flag.label)</span></i></div>
                """ as Markup
            })</div>

            """
    }

    // MARK: Shapes, in parts of the plot

    static func line(_ points: [(x: Double, y: Double)], style: String) -> Markup {
        "<polyline class=\"\(style)\" points=\"\(points.map { "\($0.x * 1000),\(height * (1 - $0.y)) " as Markup })\"/>"
    }

    static func area(_ points: [(x: Double, y: Double)], style: String) -> Markup {
        guard let first = points.first, let last = points.last else { return "" }
        return """
            <polygon class="\(style)" points="\(first.x * 1000),\(height) \
            \(points.map { "\($0.x * 1000),\(height * (1 - $0.y)) " as Markup })\(last.x * 1000),\(height)"/>
            """
    }

    static func column(from left: Double, to right: Double, y: Double, style: String) -> Markup {
        """
        <rect class="\(style)" x="\(left * 1000)" width="\((right - left) * 1000)" y="\(height * (1 - y))" \
        height="\(height * y)"/>
        """
    }
}
