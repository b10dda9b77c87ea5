/// A figure of which runs are compared.
struct ComparedFigure: Sendable {
    /// Its name in the line of `--json`.
    var key: String
    var title: String
    var isMoreBetter = false
    var text: @Sendable (Double) -> String

    static let load = [
        ComparedFigure(key: "rps", title: "Requests a second", isMoreBetter: true) { Quantity.short($0) },
        ComparedFigure(key: "cpu_us_per_request", title: "CPU time a request") { Quantity.latency($0) },
        ComparedFigure(key: "p99_us", title: "p99 latency") { Quantity.latency($0) },
    ]

    static let streams = [
        ComparedFigure(key: "open_s", title: "Time to open them") { Quantity.seconds($0) },
        ComparedFigure(key: "rss_bytes_per_stream", title: "Memory a stream") { Quantity.bytes(Int($0)) },
        ComparedFigure(key: "cpu_s", title: "CPU time to hold them") { Quantity.seconds($0) },
    ]
}

/// This run beside earlier ones: a bar for each, and how many times this run's it is.
struct Comparison {
    private struct Row {
        var name: String
        var isThis: Bool
        /// Of how many runs it is the median.
        var runs: Int
        /// By their keys.
        var values: [String: Double]
    }

    private let rows: [Row]
    private let figures: [ComparedFigure]

    /// - Parameter own: the figures of this run, by their keys.
    init(name: String, own: [String: Double], earlier: [EarlierRun], figures: [ComparedFigure]) {
        self.figures = figures
        var names: [String] = []
        for run in earlier where !names.contains(run.name) { names.append(run.name) }
        rows =
            [Row(name: name, isThis: true, runs: 1, values: own)]
            + names.map { name in
                let runs = earlier.filter { $0.name == name }
                let medians = figures.compactMap { figure in
                    Self.median(runs.compactMap { $0.values[figure.key] }).map { (figure.key, $0) }
                }
                return Row(
                    name: name, isThis: false, runs: runs.count, values: Dictionary(uniqueKeysWithValues: medians))
            }
    }

    var markup: Markup {
        guard rows.count > 1 else {
            return """
                <p class="empty">There are none. Keep the lines of <code>freshet bench --json</code> in a file, and give it \
                with <code>--compare</code>.</p>

                """
        }
        return """
            <div class="triple">\(figures.map(group))</div>

            """
    }

    private func group(_ figure: ComparedFigure) -> Markup {
        let known = rows.compactMap { row in row.values[figure.key].map { (row: row, value: $0) } }
        guard known.contains(where: { !$0.row.isThis }) else { return "" }
        let sorted = known.sorted { figure.isMoreBetter ? $0.value > $1.value : $0.value < $1.value }
        let most = max(sorted.map(\.value).max() ?? 1, 1e-9)
        let own = known.first { $0.row.isThis }?.value
        let note = figure.isMoreBetter ? "more is better" : "less is better"
        return """
            <figure class="bars"><figcaption><span>\(figure.title)</span> <small>\(note); × is times this run</small></figcaption>\(sorted.map { row, value in
                """
                <div\(row.isThis ? " class=\"this\"" as Markup : "")><b>\(row.name) <small>\(remark(on: row))</small></b>\
                <span class="bar"><i style="width:\(value / most * 100)%"></i></span>\
                <output>\(figure.text(value)) <small>\(times(value, own, row.isThis))</small></output></div>

                """ as Markup
            })</figure>

            """
    }

    private func remark(on row: Row) -> String {
        row.isThis ? "this run" : row.runs == 1 ? "" : "median of \(row.runs)"
    }

    private func times(_ value: Double, _ own: Double?, _ isThis: Bool) -> String {
        guard let own, own > 0, !isThis else { return "" }
        return "\(Quantity.digits(value / own))×"
    }

    private static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
