/// This run beside earlier ones: a bar for each, and how many times this run's it is.
struct Comparison {
    private struct Row {
        var name: String
        var isThis: Bool
        /// Of how many runs it is the median.
        var runs: Int
        var requestsPerSecond: Double?
        var cpuPerRequest: Double?
        var p99: Double?
    }

    private let rows: [Row]

    init(name: String, outcome: LoadOutcome, earlier: [EarlierRun]) {
        var names: [String] = []
        for run in earlier where !names.contains(run.name) { names.append(run.name) }
        rows =
            [
                Row(
                    name: name, isThis: true, runs: 1, requestsPerSecond: outcome.requestsPerSecond,
                    cpuPerRequest: outcome.cpuPerRequest, p99: outcome.latency(0.99))
            ]
            + names.map { name in
                let runs = earlier.filter { $0.name == name }
                return Row(
                    name: name, isThis: false, runs: runs.count,
                    requestsPerSecond: Self.median(runs.map(\.requestsPerSecond)),
                    cpuPerRequest: Self.median(runs.compactMap(\.cpuPerRequest)),
                    p99: Self.median(runs.compactMap(\.p99)))
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
            <div class="triple">\(group("Requests a second", "more is better", \.requestsPerSecond, isMoreBetter: true) {
                Quantity.short($0)
            })\(group("CPU time a request", "less is better", \.cpuPerRequest) { Quantity.latency($0) })\
            \(group("p99 latency", "less is better", \.p99) { Quantity.latency($0) })</div>

            """
    }

    private func group(
        _ title: String, _ note: String, _ value: (Row) -> Double?, isMoreBetter: Bool = false,
        _ text: (Double) -> String
    ) -> Markup {
        let known = rows.filter { value($0) != nil }
        guard known.contains(where: { !$0.isThis }) else { return "" }
        let sorted = known.sorted { left, right in
            let (left, right) = (value(left) ?? 0, value(right) ?? 0)
            return isMoreBetter ? left > right : left < right
        }
        let most = max(sorted.compactMap(value).max() ?? 1, 1e-9)
        let own = known.first { $0.isThis }.flatMap(value)
        return """
            <figure class="bars"><figcaption><span>\(title)</span> <small>\(note); × is times this run</small></figcaption>\(sorted.map { row in
                """
                <div\(row.isThis ? " class=\"this\"" as Markup : "")><b>\(row.name) <small>\(remark(on: row))</small></b>\
                <span class="bar"><i style="width:\((value(row) ?? 0) / most * 100)%"></i></span>\
                <output>\(text(value(row) ?? 0)) <small>\(times(value(row), own, row.isThis))</small></output></div>

                """ as Markup
            })</figure>

            """
    }

    private func remark(on row: Row) -> String {
        row.isThis ? "this run" : row.runs == 1 ? "" : "median of \(row.runs)"
    }

    private func times(_ value: Double?, _ own: Double?, _ isThis: Bool) -> String {
        guard let value, let own, own > 0, !isThis else { return "" }
        return "\(Quantity.digits(value / own))×"
    }

    private static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
