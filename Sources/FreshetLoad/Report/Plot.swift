/// A plot whose labels are HTML text. Only its lines and areas are stretched to the available width, so that the labels
/// stay readable on a phone and on a wide screen.
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

        /// Whether the label stands to the left of the line, because a phone has no room to the right.
        var isBefore: Bool { part > 0.72 }
    }

    /// The height of the drawing in its own units. The width is 1000.
    static let height = 300.0

    var title: String
    var unit: String
    var x: [Mark]
    var y: [Mark]
    /// The elements of the drawing, in its units.
    var drawing: [HTML]
    var flags: [Flag] = []
    /// One text for each equal part of the width, shown when the user points at it.
    var readouts: [String] = []
    var legend: [(style: String, label: String)] = []

    var markup: HTML {
        """
        <figure class="plot">
        <figcaption><span>\(title)</span> <small>\(unit)</small>\(legendMarkup)</figcaption>
        \(flagMarkup)<div class="frame"><div class="ys" aria-hidden="true">\(y.map {
            "<i style=\"bottom:\($0.part * 100)%\">\($0.label)</i>" as HTML
        })</div>
        <div class="area" data-readouts="\(readouts.joined(separator: "\n"))">
        <svg viewBox="0 0 1000 300" preserveAspectRatio="none" role="img" aria-label="\(title)">\
        \(grid)\(drawing)\(flags.map { flag in
            "<line class=\"flag\" x1=\"\(flag.part * 1000)\" x2=\"\(flag.part * 1000)\" y1=\"0\" y2=\"300\"/>" as HTML
        })</svg>
        <b class="cursor" hidden></b><output hidden></output></div>
        <div class="xs" aria-hidden="true">\(x.map { xMark($0) })</div></div>
        </figure>

        """
    }

    private var grid: HTML {
        HTML(
            y.map {
                let height = Self.height * (1 - $0.part)
                return "<line class=\"grid\" x1=\"0\" x2=\"1000\" y1=\"\(height)\" y2=\"\(height)\"/>"
            })
    }

    /// Marks at the ends are kept inside the plot.
    private func xMark(_ mark: Mark) -> HTML {
        let side = mark.part < 0.03 ? " class=\"first\"" : mark.part > 0.97 ? " class=\"last\"" : ""
        return "<i\(HTML(stringLiteral: side)) style=\"left:\(mark.part * 100)%\">\(mark.label)</i>"
    }

    private var legendMarkup: HTML {
        legend.isEmpty
            ? ""
            : "<span class=\"legend\">\(legend.map { "<i class=\"\($0.style)\">\($0.label)</i>" as HTML })</span>"
    }

    /// Each flag has a row of its own, because flags can overlap. An upper row has a longer line. Therefore the flags
    /// with a label to the right stand in their order, and those with a label to the left follow in reverse order.
    private var flagMarkup: HTML {
        if flags.isEmpty { return "" }
        let rows = flags.filter { !$0.isBefore } + flags.filter(\.isBefore).reversed()
        return """
            <div class="flags" aria-hidden="true">\(rows.enumerated().map { row, flag in
                """
                <div><i\(flag.isBefore ? " class=\"before\"" as HTML : "") \
                style="left:\(flag.part * 100)%;height:\(1.35 * Double(rows.count - row))em"><span>\(flag.label)</span></i></div>
                """ as HTML
            })</div>

            """
    }

    /// - Parameter points: in parts of the plot, from 0 to 1.
    static func line(_ points: [(x: Double, y: Double)], style: String) -> HTML {
        "<polyline class=\"\(style)\" points=\"\(points.map { "\($0.x * 1000),\(height * (1 - $0.y)) " as HTML })\"/>"
    }

    static func area(_ points: [(x: Double, y: Double)], style: String) -> HTML {
        guard let first = points.first, let last = points.last else { return "" }
        return """
            <polygon class="\(style)" points="\(first.x * 1000),\(height) \
            \(points.map { "\($0.x * 1000),\(height * (1 - $0.y)) " as HTML })\(last.x * 1000),\(height)"/>
            """
    }

    static func column(from left: Double, to right: Double, y: Double, style: String) -> HTML {
        """
        <rect class="\(style)" x="\(left * 1000)" width="\((right - left) * 1000)" y="\(height * (1 - y))" \
        height="\(height * y)"/>
        """
    }
}
