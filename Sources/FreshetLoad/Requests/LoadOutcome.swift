/// The results of a load run.
public struct LoadOutcome: Sendable {
    let tally: LoadTally
    /// Seconds from the first request to the last response.
    let seconds: Double
    /// Seconds of CPU time of the whole process.
    let cpu: Double
    /// The largest resident set of the process, in kB.
    let peakResident: Int
    /// The number of requests that were due or under way at the end. They are not counted.
    public internal(set) var unfinished = 0
    /// How many of them had no connection yet.
    var unsent = 0

    /// The number of requests that have ended.
    public var requests: Int { tally.requests }
    /// The failures, the most frequent kind first.
    public var failuresByFrequency: [LoadFailure] { tally.failures.byFrequency }

    var requestsPerSecond: Double { Double(tally.requests) / seconds }
    /// Microseconds of CPU time per request; `nil` without a request.
    var cpuPerRequest: Double? { tally.requests == 0 ? nil : cpu * 1e6 / Double(tally.requests) }

    /// The latency in microseconds that the part `fraction` of all responses does not exceed; `nil` without a response.
    func latency(_ fraction: Double) -> Double? {
        tally.latency.percentile(fraction).map { $0 / 1000 }
    }

    /// Whether the process used its `loops` threads so much that it may have been slower than the server. A run of less than a
    /// second says too little.
    public func isLimitedByCPU(loops: Int) -> Bool {
        seconds >= 1 && cpu >= 0.9 * seconds * Double(loops)
    }

    /// The requests per second that a run with the asked `rate` sent, if they are under 95 % of it. The time after the last
    /// scheduled request that a single request takes does not count. Of few slow requests that time is most of the run, so
    /// the rate is also no more than the part of the requests that had a connection.
    public func missedRate(_ rate: Double) -> Double? {
        guard seconds >= 1 else { return nil }
        // Without a response all requests have failed, by a timeout at the latest.
        let shortest = tally.latency.isEmpty ? tally.shortestFailure ?? 0 : tally.latency.shortest / 1e9
        let sent = Double(tally.requests + unfinished - unsent)
        let reached = min(
            Double(tally.requests) / max(1e-6, seconds - shortest),
            rate * sent / max(1, sent + Double(unsent)))
        return reached < 0.95 * rate ? reached : nil
    }

    /// Returns one JSON line with the results, for other programs.
    public func json(named name: String) -> String {
        var line = JSONLine()
        line.add("name", name)
        line.add("requests", tally.requests)
        line.add("seconds", seconds, decimals: 6)
        line.add("rps", requestsPerSecond, decimals: 2)
        line.add("cpu_s", cpu, decimals: 6)
        line.add("cpu_us_per_request", cpuPerRequest, decimals: 3)
        line.add("peak_rss_kb", peakResident)
        line.add("errors", tally.failures.count)
        line.add("p50_us", latency(0.5), decimals: 1)
        line.add("p99_us", latency(0.99), decimals: 1)
        return line.text
    }

    /// The figures that a report compares with those of earlier runs.
    var compared: [String: Double] {
        ["rps": requestsPerSecond, "cpu_us_per_request": cpuPerRequest, "p99_us": latency(0.99)].compactMapValues { $0 }
    }
}
