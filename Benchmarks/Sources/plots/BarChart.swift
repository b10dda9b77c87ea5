import Foundation

/// Horizontal bars with their figures.
struct BarChart {
    var title: String
    /// What the figures are.
    var unit: String
    var bars: [(name: String, value: Double)]
    /// How many digits the figures have after the point.
    var digits = 2

    private static let (width, left, right, row, top) = (720.0, 220.0, 80.0, 30.0, 64.0)

    /// It has a background of its own, because a page can be light or dark.
    var svg: String {
        let height = Self.top + Self.row * Double(bars.count) + 14
        let highest = bars.map(\.value).max() ?? 1
        let drawn = bars.enumerated().map { index, bar in
            let y = Self.top + Self.row * Double(index)
            let length = max(2, (Self.width - Self.left - Self.right) * bar.value / highest)
            return """
                <text x="\(Self.left - 10)" y="\(y + 15)" text-anchor="end">\(bar.name)</text>
                <rect x="\(Self.left)" y="\(y)" width="\(String(format: "%.1f", length))" height="20" rx="3" \
                fill="\(index == 0 ? "#9aa5b1" : "#0b6bcb")"/>
                <text x="\(String(format: "%.1f", Self.left + length + 8))" y="\(y + 15)" font-weight="600">\
                \(String(format: "%.\(digits)f", bar.value))</text>
                """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(height))" \
            font-family="system-ui, sans-serif" font-size="14" fill="#17202a">
            <rect width="100%" height="100%" rx="10" fill="#f6f7f9"/>
            <text x="18" y="28" font-size="16" font-weight="600">\(title)</text>
            <text x="18" y="48" font-size="13" fill="#5c6874">\(unit)</text>
            \(drawn.joined(separator: "\n"))
            </svg>

            """
    }
}

extension BarChart {
    /// The charts of the documentation, with the names of their files.
    static func all(of tables: [PrintedTable]) -> [(name: String, chart: BarChart)] {
        func bars(_ key: String, column: Int) -> [(name: String, value: Double)] {
            let rows = tables.first { $0.key == key }?.rows ?? []
            return rows.compactMap { row in
                guard row.cells.indices.contains(column), let value = Double(row.cells[column]) else { return nil }
                let name = row.name.replacing("Freshet, ", with: "")
                return (name == "Freshet" ? "no layers" : name, value)
            }
        }
        let charts = [
            (
                "layers-miss",
                BarChart(
                    title: "The cost of each layer", unit: "Instructions per request, to a client without layers",
                    bars: bars("layers", column: 2))
            ),
            (
                "layers-hits",
                BarChart(
                    title: "Hits of a cache", unit: "Responses per second, to nginx on the same machine",
                    bars: bars("hits", column: 0), digits: 1)
            ),
            (
                "layers-coalescing",
                BarChart(
                    title: "1,000 GETs of one URL at once", unit: "CPU time of the client, to a client without layers",
                    bars: bars("coalescing", column: 1))
            ),
            (
                "layers-hedging",
                BarChart(
                    title: "One response in 100 takes 100 ms", unit: "99th percentile of the latency in milliseconds",
                    bars: bars("hedging", column: 4), digits: 0)
            ),
            (
                "layers-overload",
                BarChart(
                    title: "600 GETs per second at a server of 400 per second",
                    unit: "Good responses within 100 ms, per second",
                    bars: bars("overload", column: 1), digits: 0)
            ),
        ]
        return charts.filter { !$0.1.bars.isEmpty }
    }
}
