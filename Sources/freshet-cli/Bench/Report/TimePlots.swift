/// Throughput and latency over the time of a run.
struct TimePlots {
    let outcome: LoadOutcome

    private var series: LoadSeries? { outcome.tally.series }
    private var spans: [LoadSeries.Span] { series?.spans ?? [] }
    /// Seconds.
    private var width: Double { Double(series?.width ?? 1) / 1e9 }
    private var end: Double { max(outcome.seconds, 1e-6) }
    private var x: PlotScale { .time(upTo: end) }

    var markup: Markup {
        guard !spans.isEmpty else {
            return """
                <p class="empty">No request came to an end, so there is nothing to draw.</p>

                """
        }
        return "<div class=\"pair\">\(throughput.markup)\(latency)</div>"
    }

    private var xMarks: [Plot.Mark] {
        x.marks(6).map { .init(part: x.part($0), label: $0 == 0 ? "0" : Quantity.latencyMark($0 * 1e6)) }
    }

    /// How long a span was: the last one ended with the run.
    private func length(_ index: Int) -> Double {
        max(min(width, end - Double(index) * width), 1e-6)
    }

    /// A point in the middle of each span. What is left of the last one counts only if it is long enough to say something.
    private var indices: Range<Int> {
        let isShort = spans.count > 1 && length(spans.count - 1) < width / 2
        return 0..<(isShort ? spans.count - 1 : spans.count)
    }

    private func middle(_ index: Int) -> Double {
        x.part(Double(index) * width + length(index) / 2)
    }

    /// From edge to edge, so that what was drawn begins and ends with the run.
    private func steps(_ value: (Int) -> Double) -> [(x: Double, y: Double)] {
        guard let first = indices.first, let last = indices.last else { return [] }
        return [(0, value(first))] + indices.map { (middle($0), value($0)) } + [(1, value(last))]
    }

    private func answered(_ index: Int) -> Double { Double(spans[index].answers) / length(index) }
    private func failed(_ index: Int) -> Double { Double(spans[index].failures) / length(index) }

    private var throughput: Plot {
        let y = PlotScale.linear(upTo: indices.map { answered($0) + failed($0) }.max() ?? 0)
        let hasFailures = outcome.tally.failures > 0
        var drawing = [
            Plot.area(steps { y.part(answered($0)) }, style: "fill"),
            Plot.line(steps { y.part(answered($0)) }, style: "line"),
        ]
        if hasFailures {
            drawing.append(Plot.area(steps { y.part(failed($0)) }, style: "fill bad"))
            drawing.append(Plot.line(steps { y.part(failed($0)) }, style: "line bad"))
        }
        return Plot(
            title: "Throughput", unit: "a second", x: xMarks,
            y: y.marks(4).map { .init(part: y.part($0), label: Quantity.axis($0)) }, drawing: drawing,
            readouts: readouts { index in
                "\(Quantity.short(answered(index))) answers a second"
                    + (hasFailures ? ", \(Quantity.short(failed(index))) errors a second" : "")
            },
            legend: hasFailures ? [("main", "answers"), ("bad", "errors")] : [])
    }

    private var latency: Markup {
        let answered = indices.filter { !spans[$0].latency.isEmpty }
        func value(_ index: Int, _ fraction: Double) -> Double {
            (spans[index].latency.percentile(fraction) ?? 0) / 1000
        }
        guard let low = answered.map({ value($0, 0.5) }).min(), let high = answered.map({ value($0, 1) }).max() else {
            return """
                <p class="empty">No request was answered with a status below 400, so there is no latency to draw.</p>

                """
        }
        let y = PlotScale.logarithmic(from: low * 0.8, to: high * 1.1)
        func line(_ fraction: Double, _ style: String) -> Markup {
            var points = answered.map { (middle($0), y.part(value($0, fraction))) }
            if let first = points.first, let last = points.last, answered.count == indices.count {
                points = [(0, first.1)] + points + [(1, last.1)]
            }
            return Plot.line(points, style: style)
        }
        return Plot(
            title: "Latency", unit: "logarithmic", x: xMarks,
            y: y.marks(5).map { .init(part: y.part($0), label: Quantity.latencyMark($0)) },
            drawing: [line(1, "line faint"), line(0.99, "line second"), line(0.5, "line")],
            readouts: readouts { index in
                spans[index].latency.isEmpty
                    ? "no answers"
                    : "p50 \(Quantity.latency(value(index, 0.5))), p99 \(Quantity.latency(value(index, 0.99))), "
                        + "max \(Quantity.latency(value(index, 1)))"
            },
            legend: [("main", "p50"), ("second", "p99"), ("faint", "max")]
        ).markup
    }

    /// One for each of the equal parts into which the whole width is cut.
    private func readouts(_ text: (Int) -> String) -> [String] {
        let count = max(1, Int((end / width).rounded(.up)))
        return (0..<count).map { part in
            let index = min(indices.upperBound - 1, Int((Double(part) + 0.5) * end / Double(count) / width))
            return "\(Quantity.seconds(Double(index) * width + length(index))): \(text(index))"
        }
    }
}

extension Quantity {
    /// A round number beside an axis, as short as can be.
    static func axis(_ value: Double, unit: String = "") -> String {
        func plain(_ value: Double) -> String {
            let rounded = (value * 1000).rounded() / 1000
            return Int(exactly: rounded).map(grouped) ?? "\(rounded)"
        }
        let number = value >= 1e6 ? plain(value / 1e6) + "M" : value >= 1e4 ? plain(value / 1e3) + "k" : plain(value)
        return unit.isEmpty ? number : "\(number) \(unit)"
    }
}
