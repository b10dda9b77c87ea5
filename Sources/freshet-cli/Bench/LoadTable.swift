import Foundation
import Freshet

/// What load came to, for a person at a terminal.
struct LoadTable {
    let outcome: LoadOutcome

    private var tally: LoadTally { outcome.tally }

    var text: String {
        ([facts] + (tally.failures > 0 ? [failures] : []) + [latency]).joined(separator: "\n\n")
    }

    // MARK: Facts

    private var facts: String {
        var rows = [
            ("requests", "\(grouped(tally.requests))", "\(grouped(Int(outcome.requestsPerSecond.rounded()))) a second"),
            ("errors", grouped(tally.failures), percent(tally.failures, of: tally.requests)),
            (
                "received", Quantity.bytes(tally.bytes),
                "\(Quantity.bytes(Int(Double(tally.bytes) / outcome.seconds)))/s"
            ),
            ("time", Quantity.seconds(outcome.seconds), ""),
            (
                "CPU time", Quantity.seconds(outcome.cpu),
                outcome.cpuPerRequest.map { "\(Quantity.latency($0)) a request" } ?? ""
            ),
            ("memory", Quantity.bytes(outcome.peakResident * 1024), "at most"),
            ("connections", grouped(tally.connections), tally.isHTTP2 ? "HTTP/2" : ""),
        ]
        if outcome.unfinished > 0 {
            rows.append(("let go of", grouped(outcome.unfinished), "under way at the end, not counted"))
        }
        let width = rows.map(\.1.count).max() ?? 0
        return rows.map { name, value, note in
            trimmed("\(pad(name, 12))\(pad(value, width, left: true))  \(note)")
        }.joined(separator: "\n")
    }

    private var failures: String {
        tally.failuresByCount.map { kind, failures in
            "\(pad(kind, 18)) \(pad(grouped(failures.count), 10, left: true))  \(failures.example)"
        }.joined(separator: "\n")
    }

    // MARK: Latency

    static let percentiles: [(name: String, fraction: Double)] = [
        ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999),
        ("max", 1),
    ]

    private var latency: String {
        guard !tally.latency.isEmpty else { return "No request was answered, so there is no latency to show." }
        let percentiles = Self.percentiles.map { name, fraction in
            "\(pad(name, 8))\(pad(Quantity.latency(outcome.latency(fraction) ?? 0), 10, left: true))"
        }
        let rows = histogram
        let height = max(percentiles.count, rows.count)
        return
            (["latency"]
            + (0..<height).map { row in
                let left = row < percentiles.count ? percentiles[row] : pad("", 18)
                return trimmed(left + "    " + (row < rows.count ? rows[row] : ""))
            }).joined(separator: "\n")
    }

    /// Bars of equal width on a logarithmic scale.
    private var histogram: [String] {
        let edges = LatencyScale(tally.latency, bins: 10).edges
        let counts = tally.latency.counts(between: edges)
        let highest = Double(max(1, counts.max() ?? 1))
        return zip(edges, counts).map { edge, count in
            let filled = count == 0 ? 0 : max(1, Int((Double(count) / highest * 24).rounded()))
            return
                "\(pad(Quantity.latency(edge / 1000), 10, left: true)) \(pad(String(repeating: "█", count: filled), 24))"
                + " \(pad(grouped(count), 11, left: true)) \(pad(percent(count, of: tally.latency.count), 6, left: true))"
        }
    }

    private func percent(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "" : Quantity.percent(Double(part) / Double(whole))
    }

    private func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? space + text : text + space
    }

    private func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }
}

/// A logarithmic scale on which all of a histogram has its place.
struct LatencyScale {
    /// Nanoseconds; one more than there are bins.
    let edges: [Double]

    init(_ histogram: LatencyHistogram, bins: Int) {
        let low = max(1, Double(histogram.isEmpty ? 1 : histogram.shortest))
        // One value alone gets a scale as well.
        let high = max(Double(histogram.longest) * 1.000001, low * 1.1)
        let step = (high / low).logarithm / Double(bins)
        edges = (0...bins).map { low * exp(step * Double($0)) }
    }
}

extension Double {
    fileprivate var logarithm: Double { log(self) }
}
