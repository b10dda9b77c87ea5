extension LoadOutcome {
    /// The results as a table for a terminal of `width` columns, from 40 on.
    public func table(width: Int = 80) -> String {
        [facts, failures, latencies(in: width)].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    private var failures: [String] {
        let rows = failuresByFrequency.map { ($0.kind, TextFormat.count($0.count), $0.example) }
        guard !rows.isEmpty else { return [] }
        return ([("error", "requests", "for example")] + rows).map { kind, count, example in
            "\(TextFormat.padded(kind, to: 18)) \(TextFormat.rightAligned(count, in: 10))  \(example)"
        }
    }

    private var facts: [String] {
        var rows = [
            (
                "requests", TextFormat.count(tally.requests),
                "\(TextFormat.count(Int(requestsPerSecond.rounded())))/s"
            ),
            ("errors", TextFormat.count(tally.failures.count), percent(tally.failures.count, of: tally.requests)),
            ("received", TextFormat.bytes(tally.bytes), "\(TextFormat.bytes(Double(tally.bytes) / seconds))/s"),
            ("time", TextFormat.seconds(seconds), ""),
            ("CPU time", TextFormat.seconds(cpu), cpuPerRequest.map { "\(TextFormat.latency($0))/request" } ?? ""),
            ("memory", TextFormat.bytes(peakResident * 1024), "at most"),
            ("connections", TextFormat.count(tally.connections), tally.isHTTP2 ? "HTTP/2" : ""),
        ]
        if unfinished > 0 {
            rows.append(("unfinished", TextFormat.count(unfinished), "not counted"))
        }
        let width = rows.map(\.1.count).max() ?? 0
        return rows.map { name, value, note in
            TextFormat.trimmed(
                "\(TextFormat.padded(name, to: 12))\(TextFormat.rightAligned(value, in: width))  \(note)")
        }
    }

    /// The percentiles and, beside or below them, the histogram.
    private func latencies(in width: Int) -> [String] {
        guard !tally.latency.isEmpty else { return ["No request got a response, so there is no latency to show."] }
        let rows = LoadOutcome.percentiles.map { ($0.name, TextFormat.latency(latency($0.fraction) ?? 0)) }
        let mean = ("mean", TextFormat.latency(tally.latency.mean / 1000))
        let percentiles = ([("percentile", "latency")] + rows + [mean]).map {
            TextFormat.padded($0, to: 10) + TextFormat.rightAligned($1, in: 10)
        }
        // The last column stays free, because some terminals break a line that fills it.
        let room = width - 1 - Self.histogramWidth
        let besidePercentiles = room - Self.percentilesWidth
        guard besidePercentiles >= 8 else { return percentiles + [""] + histogram(barWidth: max(1, room)) }
        let bars = histogram(barWidth: min(60, besidePercentiles))
        return (0..<max(percentiles.count, bars.count)).map { row in
            let left = row < percentiles.count ? percentiles[row] : ""
            return TextFormat.padded(left, to: Self.percentilesWidth) + (row < bars.count ? bars[row] : "")
        }.map(TextFormat.trimmed)
    }

    private static let percentilesWidth = 22
    /// The width of the histogram without its bars.
    private static let histogramWidth = 31

    static let percentiles: [(name: String, fraction: Double)] = [
        ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999),
        ("max", 1),
    ]

    private func histogram(barWidth: Int) -> [String] {
        let bins = LatencyBins(tally.latency, count: 10)
        let highest = Double(max(1, bins.counts.max() ?? 1))
        let rows = zip(bins.edges, bins.counts).map { edge, count in
            let filled = count == 0 ? 0 : max(1, Int((Double(count) / highest * Double(barWidth)).rounded()))
            let bar = String(repeating: "█", count: filled)
            return (
                TextFormat.latency(edge / 1000), bar, TextFormat.count(count), percent(count, of: tally.latency.count)
            )
        }
        return ([("from", "", "responses", "share")] + rows).map { edge, bar, count, share in
            [
                TextFormat.rightAligned(edge, in: 10), TextFormat.padded(bar, to: barWidth),
                TextFormat.rightAligned(count, in: 10), TextFormat.rightAligned(share, in: 8),
            ].joined(separator: " ")
        }
    }

    private func percent(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "" : TextFormat.percent(Double(part) / Double(whole))
    }
}
