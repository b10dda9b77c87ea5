/// The results of a run that held streams open.
public struct StreamLoadOutcome: Sendable {
    /// The number of streams in the plan.
    var asked: Int
    /// The number of streams that were opened.
    var open: Int
    /// The number of streams that were still open at the end.
    var openAtEnd: Int
    /// Seconds from the start until no stream was left to be opened.
    var openSeconds: Double
    /// The growth of the resident set in bytes, divided by the number of streams that are open at the end; `nil` if none is.
    var residentPerStream: Double?
    /// Seconds of CPU time of the whole process until no stream was left to be opened.
    var openingCPU: Double
    /// Seconds of CPU time of the whole process after that.
    var holdingCPU: Double
    /// The largest resident set of the process, in kB.
    var peakResident: Int
    /// The failures of streams that were not opened, or that ended.
    var failures: LoadFailures
    /// The times from the beginning of each stream to the head of its response.
    var latency: LatencyHistogram
    /// Seconds from the beginning to the end of the run.
    var seconds: Double
    /// The resident set before the first stream, in kB.
    var residentBefore: Int
    /// The same counts over time; `nil` if they were not kept.
    var series: StreamSeries?

    /// The failures, the most frequent kind first.
    public var failuresByFrequency: [LoadFailure] { failures.byFrequency }

    /// The results as text for a terminal.
    public var table: String {
        let perStream = residentPerStream.map { "\(TextFormat.bytes($0)) per open stream, " } ?? ""
        let facts = [
            "streams     \(TextFormat.count(open)) of \(TextFormat.count(asked)) opened in "
                + "\(TextFormat.seconds(openSeconds)), \(TextFormat.count(openAtEnd)) open at the end",
            "errors      \(TextFormat.count(failures.count))",
            "memory      \(perStream)\(TextFormat.bytes(peakResident * 1024)) at most",
            "CPU time    \(TextFormat.seconds(openingCPU)) to open them, \(TextFormat.seconds(holdingCPU)) to hold them",
        ]
        let kinds = failures.byFrequency.map {
            "            \($0.kind): \(TextFormat.count($0.count)), for example: \($0.example)"
        }
        return (facts + kinds).joined(separator: "\n")
    }

    /// Returns one JSON line with the results, for other programs. It has the number of the streams that were opened, the memory
    /// per stream that is open at the end, and the CPU time of holding the streams.
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
