import Foundation

/// Shows the distribution of latencies: as a histogram, by percentile and as a table.
struct LatencyPlots {
    private static let bins = 60

    /// The latencies; not empty.
    let histogram: LatencyHistogram
    /// The word for what has these latencies, in the plural.
    let subject: String

    var markup: HTML {
        "\(distribution.markup)<div class=\"pair\">\(percentiles.markup)\(table)</div>"
    }

    /// The latency of a percentile in microseconds.
    private func latency(_ fraction: Double) -> Double {
        (histogram.percentile(fraction) ?? 0) / 1000
    }

    private var distribution: Plot {
        let bins = LatencyBins(histogram, count: Self.bins)
        let x = Axis.logarithmic(from: (bins.edges.first ?? 1) / 1000, to: (bins.edges.last ?? 10) / 1000)
        let total = Double(histogram.count)
        let y = Axis.linear(upTo: 100 * Double(bins.counts.max() ?? 0) / total)
        let width = 1 / Double(Self.bins)
        return Plot(
            title: "Distribution", unit: "\(subject) by latency, logarithmic",
            x: x.marks(6, distance: 0.19, label: TextFormat.latencyMark),
            y: y.marks(4) { "\(TextFormat.axis($0)) %" },
            drawing: bins.counts.enumerated().filter { $0.element > 0 }.map { index, count in
                // The smallest count stays visible.
                Plot.column(
                    from: Double(index) * width, to: Double(index + 1) * width,
                    y: max(0.006, y.part(100 * Double(count) / total)), style: "column")
            },
            flags: [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)].map { name, fraction in
                .init(part: x.part(latency(fraction)), label: "\(name) \(TextFormat.latency(latency(fraction)))")
            },
            readouts: bins.counts.enumerated().map { index, count in
                "\(TextFormat.latency(bins.edges[index] / 1000)) to \(TextFormat.latency(bins.edges[index + 1] / 1000)): "
                    + "\(TextFormat.count(count)), \(TextFormat.percent(Double(count) / total))"
            })
    }

    /// The percentages have a logarithmic scale: each additional nine has the same width.
    private var percentiles: Plot {
        let nines = min(5, max(1, log10(Double(histogram.count))))
        let x = Axis(low: 0, high: nines, isLogarithmic: false)
        func fraction(_ part: Double) -> Double { 1 - pow(10, -part * nines) }
        let y = Axis.logarithmic(from: latency(0) * 0.9, to: latency(1) * 1.1)
        let points = (0...200).map { index -> (x: Double, y: Double) in
            let part = Double(index) / 200
            return (part, y.part(index == 200 ? latency(1) : latency(fraction(part))))
        }
        let names = ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"]
        return Plot(
            title: "By percentile", unit: "latency of the slowest, both logarithmic",
            x: names.enumerated().filter { Double($0.offset) <= nines + 0.001 }
                .map { .init(part: x.part(Double($0.offset)), label: $0.element) },
            y: y.marks(5, label: TextFormat.latencyMark),
            drawing: [Plot.area(points, style: "fill"), Plot.line(points, style: "line")],
            readouts: (0..<50).map { index in
                let fraction = fraction((Double(index) + 0.5) / 50)
                return "\(String(format: "%.*f", 1 + Int(-log10(1 - fraction)), fraction * 100)) % take at most "
                    + TextFormat.latency(latency(fraction))
            })
    }

    private var table: HTML {
        let rows =
            [("min", latency(0))] + LoadOutcome.percentiles.map { ($0.name, latency($0.fraction)) }
            + [("mean", histogram.mean / 1000)]
        return """
            <figure><figcaption>In figures</figcaption><table><tbody>\(rows.map { name, value in
                "<tr><th scope=\"row\">\(name)</th><td>\(TextFormat.latency(value))</td></tr>\n" as HTML
            })</tbody></table></figure>

            """
    }
}
