import Foundation

/// How latency is distributed: a histogram, the way up the percentiles, and both in figures.
struct LatencyPlots {
    private static let bins = 60

    /// Not empty.
    let histogram: LatencyHistogram
    /// What took so long, in the plural.
    let ofWhat: String

    var markup: Markup {
        "\(distribution.markup)<div class=\"pair\">\(percentiles.markup)\(table)</div>"
    }

    /// Microseconds.
    private func latency(_ fraction: Double) -> Double {
        (histogram.percentile(fraction) ?? 0) / 1000
    }

    // MARK: Histogram

    private var distribution: Plot {
        let scale = LatencyScale(histogram, bins: Self.bins)
        let counts = histogram.counts(between: scale.edges)
        let x = PlotScale.logarithmic(
            from: (scale.edges.first ?? 1) / 1000, to: (scale.edges.last ?? 10) / 1000)
        let total = Double(histogram.count)
        let y = PlotScale.linear(upTo: 100 * Double(counts.max() ?? 0) / total)
        let bin = 1 / Double(Self.bins)
        return Plot(
            title: "Distribution", unit: "\(ofWhat) by latency, logarithmic",
            x: x.marks(6, distance: 0.19).map { .init(part: x.part($0), label: Quantity.latencyMark($0)) },
            y: y.marks(4).map { .init(part: y.part($0), label: "\(Quantity.axis($0)) %") },
            drawing: counts.enumerated().filter { $0.element > 0 }.map { index, count in
                // The least there is can still be seen.
                Plot.column(
                    from: Double(index) * bin, to: Double(index + 1) * bin,
                    y: max(0.006, y.part(100 * Double(count) / total)), style: "column")
            },
            flags: [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)].map { name, fraction in
                .init(part: x.part(latency(fraction)), label: "\(name) \(Quantity.latency(latency(fraction)))")
            },
            readouts: zip(scale.edges, counts).enumerated().map { index, bin in
                "\(Quantity.latency(bin.0 / 1000)) to \(Quantity.latency(scale.edges[index + 1] / 1000)): "
                    + "\(grouped(bin.1)), \(Quantity.percent(Double(bin.1) / total))"
            })
    }

    // MARK: Percentiles

    /// The nearer to all, the wider: each further nine of the percentage is as wide as the one before it.
    private var percentiles: Plot {
        let nines = min(5, max(1, log10(Double(histogram.count))))
        let x = PlotScale(low: 0, high: nines, isLogarithmic: false)
        func fraction(_ part: Double) -> Double { 1 - pow(10, -part * nines) }
        let y = PlotScale.logarithmic(from: latency(0) * 0.9, to: latency(1) * 1.1)
        let points = (0...200).map { index -> (x: Double, y: Double) in
            let part = Double(index) / 200
            return (part, y.part(index == 200 ? latency(1) : latency(fraction(part))))
        }
        let names = ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"]
        return Plot(
            title: "By percentile", unit: "latency of the slowest, both logarithmic",
            x: names.enumerated().filter { Double($0.offset) <= nines + 0.001 }
                .map { .init(part: x.part(Double($0.offset)), label: $0.element) },
            y: y.marks(5).map { .init(part: y.part($0), label: Quantity.latencyMark($0)) },
            drawing: [Plot.area(points, style: "fill"), Plot.line(points, style: "line")],
            readouts: (0..<50).map { index in
                let fraction = fraction((Double(index) + 0.5) / 50)
                return "\(String(format: "%.*f", 1 + Int(-log10(1 - fraction)), fraction * 100)) % take at most "
                    + Quantity.latency(latency(fraction))
            })
    }

    private var table: Markup {
        let rows =
            [("min", latency(0))] + LoadTable.percentiles.dropLast().map { ($0.name, latency($0.fraction)) }
            + [("max", latency(1)), ("mean", histogram.mean / 1000)]
        return """
            <figure><figcaption>In figures</figcaption><table><tbody>\(rows.map { name, value in
                "<tr><th scope=\"row\">\(name)</th><td>\(Quantity.latency(value))</td></tr>\n" as Markup
            })</tbody></table></figure>

            """
    }
}

extension Quantity {
    /// A round latency beside an axis, given in microseconds.
    static func latencyMark(_ microseconds: Double) -> String {
        switch microseconds {
        case ..<999: axis(microseconds, unit: "µs")
        case ..<999_000: axis(microseconds / 1e3, unit: "ms")
        default: axis(microseconds / 1e6, unit: "s")
        }
    }
}
