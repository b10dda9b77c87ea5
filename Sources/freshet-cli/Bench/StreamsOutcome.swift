/// What holding streams came to.
struct StreamsOutcome: Sendable {
    var asked: Int
    /// How many were opened.
    var open: Int
    /// From the first to the moment that none was left to be opened.
    var openSeconds: Double
    /// Bytes of the resident set that came with each; `nil` if there is none.
    var residentPerStream: Double?
    /// Seconds of CPU time of the whole process until none was left to be opened, and from then on.
    var openingCPU: Double
    var holdingCPU: Double
    /// In kB.
    var peakResident: Int
    var failuresByCount: [(kind: String, failures: LoadTally.Failures)]
    /// Streams that were not opened, or that ended.
    var failures: Int
    /// From the moment that each was begun to that of its head.
    var latency: LatencyHistogram
    /// From the beginning to the end.
    var seconds: Double
    /// The resident set before the first, in kB.
    var residentBefore: Int
    /// For who wants to see it on a time line.
    var series: StreamSeries?

    /// For a person at a terminal.
    var text: String {
        var lines = [
            "streams     \(grouped(open)) of \(grouped(asked)) opened in \(Quantity.seconds(openSeconds))",
            "errors      \(grouped(failures))",
            "memory      " + (residentPerStream.map { "\(Quantity.bytes(Int($0))) a stream, " } ?? "")
                + "\(Quantity.bytes(peakResident * 1024)) at most",
            "CPU time    \(Quantity.seconds(openingCPU)) to open them, \(Quantity.seconds(holdingCPU)) to hold them",
        ]
        for (kind, failures) in failuresByCount {
            lines.append("            \(kind): \(grouped(failures.count)), such as: \(failures.example)")
        }
        return lines.joined(separator: "\n")
    }
}
