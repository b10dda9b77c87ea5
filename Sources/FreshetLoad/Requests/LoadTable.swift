extension LoadOutcome {
    /// The results as a table for a terminal.
    public var table: String {
        let failures = failuresByFrequency.map { failure in
            "\(TextFormat.padded(failure.kind, to: 18)) "
                + "\(TextFormat.rightAligned(TextFormat.count(failure.count), in: 10))  \(failure.example)"
        }
        return [facts, failures, latencies].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    private var facts: [String] {
        var rows = [
            (
                "requests", TextFormat.count(tally.requests),
                "\(TextFormat.count(Int(requestsPerSecond.rounded()))) a second"
            ),
            ("errors", TextFormat.count(tally.failures.count), percent(tally.failures.count, of: tally.requests)),
            ("received", TextFormat.bytes(tally.bytes), "\(TextFormat.bytes(Int(Double(tally.bytes) / seconds)))/s"),
            ("time", TextFormat.seconds(seconds), ""),
            ("CPU time", TextFormat.seconds(cpu), cpuPerRequest.map { "\(TextFormat.latency($0)) a request" } ?? ""),
            ("memory", TextFormat.bytes(peakResident * 1024), "at most"),
            ("connections", TextFormat.count(tally.connections), tally.isHTTP2 ? "HTTP/2" : ""),
        ]
        if unfinished > 0 {
            rows.append(("cancelled", TextFormat.count(unfinished), "under way at the end, not counted"))
        }
        let width = rows.map(\.1.count).max() ?? 0
        return rows.map { name, value, note in
            TextFormat.trimmed(
                "\(TextFormat.padded(name, to: 12))\(TextFormat.rightAligned(value, in: width))  \(note)")
        }
    }

    private var latencies: [String] {
        guard !tally.latency.isEmpty else { return ["No request got a response, so there is no latency to show."] }
        let percentiles = LoadOutcome.percentiles.map { name, fraction in
            TextFormat.padded(name, to: 8)
                + TextFormat.rightAligned(TextFormat.latency(latency(fraction) ?? 0), in: 10)
        }
        let bars = histogram
        let rows = (0..<max(percentiles.count, bars.count)).map { row in
            let left = row < percentiles.count ? percentiles[row] : ""
            return TextFormat.trimmed(TextFormat.padded(left, to: 22) + (row < bars.count ? bars[row] : ""))
        }
        return ["latency"] + rows
    }

    static let percentiles: [(name: String, fraction: Double)] = [
        ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999),
        ("max", 1),
    ]

    private var histogram: [String] {
        let bins = LatencyBins(tally.latency, count: 10)
        let highest = Double(max(1, bins.counts.max() ?? 1))
        return zip(bins.edges, bins.counts).map { edge, count in
            let filled = count == 0 ? 0 : max(1, Int((Double(count) / highest * 24).rounded()))
            return [
                TextFormat.rightAligned(TextFormat.latency(edge / 1000), in: 10),
                TextFormat.padded(String(repeating: "█", count: filled), to: 24),
                TextFormat.rightAligned(TextFormat.count(count), in: 11),
                TextFormat.rightAligned(percent(count, of: tally.latency.count), in: 6),
            ].joined(separator: " ")
        }
    }

    private func percent(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "" : TextFormat.percent(Double(part) / Double(whole))
    }
}
