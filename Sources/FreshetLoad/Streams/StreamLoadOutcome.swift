/// The results of a run that held streams open.
public struct StreamLoadOutcome: Sendable {
    /// How many streams were asked for.
    var asked: Int
    /// How many were opened.
    var open: Int
    /// From the start to the moment at which none was left to be opened.
    var openSeconds: Double
    /// The growth of the resident set in bytes, divided by the streams; `nil` if none was opened.
    var residentPerStream: Double?
    /// Seconds of CPU time of the whole process up to the moment at which none was left to be opened.
    var openingCPU: Double
    /// Seconds of CPU time of the whole process from that moment on.
    var holdingCPU: Double
    /// In kB.
    var peakResident: Int
    /// Of streams that were not opened, or that ended.
    var failures: LoadFailures
    /// From the moment at which each stream was begun to that of its head.
    var latency: LatencyHistogram
    /// From the beginning to the end.
    var seconds: Double
    /// The resident set before the first stream, in kB.
    var residentBefore: Int
    /// The same counts over time; `nil` if they were not kept.
    var series: StreamSeries?

    /// The most frequent kind first.
    public var failuresByFrequency: [LoadFailure] { failures.byFrequency }

    /// The results as text for a terminal.
    public var table: String {
        let perStream = residentPerStream.map { "\(TextFormat.bytes(Int($0))) a stream, " } ?? ""
        let facts = [
            "streams     \(TextFormat.count(open)) of \(TextFormat.count(asked)) opened in "
                + TextFormat.seconds(openSeconds),
            "errors      \(TextFormat.count(failures.count))",
            "memory      \(perStream)\(TextFormat.bytes(peakResident * 1024)) at most",
            "CPU time    \(TextFormat.seconds(openingCPU)) to open them, \(TextFormat.seconds(holdingCPU)) to hold them",
        ]
        let kinds = failures.byFrequency.map {
            "            \($0.kind): \(TextFormat.count($0.count)), such as: \($0.example)"
        }
        return (facts + kinds).joined(separator: "\n")
    }

    /// One JSON line with the results, for other programs. Its CPU time is that of holding the streams.
    public func json(named name: String) -> String {
        var line = JSONLine()
        line.add("name", name)
        line.add("streams", open)
        line.add("open_s", openSeconds, decimals: 6)
        line.add("rss_bytes_per_stream", residentPerStream, decimals: 0)
        line.add("cpu_s", holdingCPU, decimals: 6)
        line.add("errors", failures.count)
        return line.text
    }

    /// The figures that a report compares with those of earlier runs.
    var compared: [String: Double] {
        ["open_s": openSeconds, "rss_bytes_per_stream": residentPerStream, "cpu_s": holdingCPU].compactMapValues { $0 }
    }
}
