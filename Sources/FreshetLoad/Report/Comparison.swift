/// Shows this run beside earlier ones. Each run has a bar and its ratio to this run.
struct Comparison {
    private struct Row {
        var name: String
        var isThis: Bool
        /// The number of runs; the values are the medians of these runs.
        var runs: Int
        /// The values, by the keys of the figures.
        var values: [String: Double]
    }

    private let rows: [Row]
    private let figures: [ComparedFigure]

    /// - Parameter values: the figures of this run, by their keys.
    init(_ run: ReportedRun, values: [String: Double], figures: [ComparedFigure]) {
        self.figures = figures
        let earlier = run.earlier
        var names: [String] = []
        for run in earlier where !names.contains(run.name) { names.append(run.name) }
        rows =
            [Row(name: run.name, isThis: true, runs: 1, values: values)]
            + names.map { name in
                let runs = earlier.filter { $0.name == name }
                let medians = figures.compactMap { figure in
                    Self.median(runs.compactMap { $0.values[figure.key] }).map { (figure.key, $0) }
                }
                return Row(
                    name: name, isThis: false, runs: runs.count, values: Dictionary(uniqueKeysWithValues: medians))
            }
    }

    var markup: HTML {
        guard rows.count > 1 else {
            return .notice(
                """
                There are none. Keep the lines of <code>freshet bench --json</code> in a file, and give it with \
                <code>--compare</code>.
                """)
        }
        return """
            <div class="triple">\(figures.map(group))</div>

            """
    }

    private func group(_ figure: ComparedFigure) -> HTML {
        let known = rows.compactMap { row in row.values[figure.key].map { (row: row, value: $0) } }
        guard known.contains(where: { !$0.row.isThis }) else { return "" }
        let sorted = known.sorted { figure.isMoreBetter ? $0.value > $1.value : $0.value < $1.value }
        let most = max(sorted.map(\.value).max() ?? 1, 1e-9)
        let own = known.first { $0.row.isThis }?.value
        let note = figure.isMoreBetter ? "more is better" : "less is better"
        return """
            <figure class="bars"><figcaption><span>\(figure.title)</span> <small>\(note); × is times this run</small></figcaption>\(sorted.map { row, value in
                """
                <div\(row.isThis ? " class=\"this\"" as HTML : "")><b>\(row.name) <small>\(label(of: row))</small></b>\
                <span class="bar"><i style="width:\(value / most * 100)%"></i></span>\
                <output>\(figure.text(value)) <small>\(times(value, own, row.isThis))</small></output></div>

                """ as HTML
            })</figure>

            """
    }

    private func label(of row: Row) -> String {
        row.isThis ? "this run" : row.runs == 1 ? "" : "median of \(row.runs)"
    }

    private func times(_ value: Double, _ own: Double?, _ isThis: Bool) -> String {
        guard let own, own > 0, !isThis else { return "" }
        return "\(TextFormat.digits(value / own))×"
    }

    private static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
