/// Shows the throughput and the latency over the time of a run.
struct LoadTimePlots {
    private let outcome: LoadOutcome
    private let spans: [LoadSeries.Span]
    /// The width of a span in seconds.
    private let width: Double

    init(outcome: LoadOutcome) {
        self.outcome = outcome
        var series = outcome.tally.series ?? LoadSeries()
        // The last request may have ended long before the run.
        if !series.spans.isEmpty { series.extend(to: Duration.seconds(outcome.seconds).wholeNanoseconds - 1) }
        spans = series.spans
        width = Double(series.width) / 1e9
    }

    private var end: Double { max(outcome.seconds, 1e-6) }
    private var x: Axis { .time(upTo: end) }

    var markup: HTML {
        guard !spans.isEmpty else {
            return .notice("No request came to an end, so there is nothing to draw.")
        }
        return "<div class=\"pair\">\(throughput.markup)\(latency)</div>"
    }

    private var xMarks: [Plot.Mark] { x.marks(6, label: TextFormat.timeMark) }

    /// The length of a span in seconds; the last one ends with the run.
    private func length(_ index: Int) -> Double {
        max(min(width, end - Double(index) * width), 1e-6)
    }

    /// The spans that are drawn. The last one is left out if it is too short to be significant.
    private var indices: Range<Int> {
        let isShort = spans.count > 1 && length(spans.count - 1) < width / 2
        return 0..<(isShort ? spans.count - 1 : spans.count)
    }

    private func middle(_ index: Int) -> Double {
        x.part(Double(index) * width + length(index) / 2)
    }

    /// Returns a point in the middle of each span, and one at each edge of the plot.
    private func steps(_ value: (Int) -> Double) -> [(x: Double, y: Double)] {
        guard let first = indices.first, let last = indices.last else { return [] }
        return [(0, value(first))] + indices.map { (middle($0), value($0)) } + [(1, value(last))]
    }

    private func responsesPerSecond(_ index: Int) -> Double { Double(spans[index].responses) / length(index) }
    private func failuresPerSecond(_ index: Int) -> Double { Double(spans[index].failures) / length(index) }

    private var throughput: Plot {
        let y = Axis.linear(upTo: indices.map { responsesPerSecond($0) + failuresPerSecond($0) }.max() ?? 0)
        let hasFailures = outcome.tally.failures.count > 0
        var drawing = [
            Plot.area(steps { y.part(responsesPerSecond($0)) }, style: "fill"),
            Plot.line(steps { y.part(responsesPerSecond($0)) }, style: "line"),
        ]
        if hasFailures {
            drawing.append(Plot.area(steps { y.part(failuresPerSecond($0)) }, style: "fill bad"))
            drawing.append(Plot.line(steps { y.part(failuresPerSecond($0)) }, style: "line bad"))
        }
        return Plot(
            title: "Throughput", unit: "a second", x: xMarks,
            y: y.marks(4) { TextFormat.axis($0) }, drawing: drawing,
            readouts: readouts { index in
                "\(TextFormat.short(responsesPerSecond(index))) responses a second"
                    + (hasFailures ? ", \(TextFormat.short(failuresPerSecond(index))) errors a second" : "")
            },
            legend: hasFailures ? [("main", "responses"), ("bad", "errors")] : [])
    }

    private var latency: HTML {
        let indicesWithLatency = indices.filter { !spans[$0].latency.isEmpty }
        func value(_ index: Int, _ fraction: Double) -> Double {
            (spans[index].latency.percentile(fraction) ?? 0) / 1000
        }
        guard let low = indicesWithLatency.map({ value($0, 0.5) }).min(),
            let high = indicesWithLatency.map({ value($0, 1) }).max()
        else {
            return .notice("No request got a response, so there is no latency to draw.")
        }
        let y = Axis.logarithmic(from: low * 0.8, to: high * 1.1)
        func line(_ fraction: Double, _ style: String) -> HTML {
            var points = indicesWithLatency.map { (middle($0), y.part(value($0, fraction))) }
            if let first = points.first, let last = points.last, indicesWithLatency.count == indices.count {
                points = [(0, first.1)] + points + [(1, last.1)]
            }
            return Plot.line(points, style: style)
        }
        return Plot(
            title: "Latency", unit: "logarithmic", x: xMarks,
            y: y.marks(5, label: TextFormat.latencyMark),
            drawing: [line(1, "line faint"), line(0.99, "line second"), line(0.5, "line")],
            readouts: readouts { index in
                spans[index].latency.isEmpty
                    ? "no responses"
                    : "p50 \(TextFormat.latency(value(index, 0.5))), p99 \(TextFormat.latency(value(index, 0.99))), "
                        + "max \(TextFormat.latency(value(index, 1)))"
            },
            legend: [("main", "p50"), ("second", "p99"), ("faint", "max")]
        ).markup
    }

    /// Returns one text for each equal part of the width.
    private func readouts(_ text: (Int) -> String) -> [String] {
        let count = max(1, Int((end / width).rounded(.up)))
        return (0..<count).map { part in
            let index = min(indices.upperBound - 1, Int((Double(part) + 0.5) * end / Double(count) / width))
            return "\(TextFormat.seconds(Double(index) * width + length(index))): \(text(index))"
        }
    }
}
