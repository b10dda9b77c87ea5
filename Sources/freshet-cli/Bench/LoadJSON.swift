import Foundation

extension LoadOutcome {
    /// The line that other programs read.
    func json(named name: String) -> String {
        JSONWriter.line { line in
            line.member("name") { $0.string(name) }
            line.member("requests") { $0.number(tally.requests) }
            line.member("seconds") { $0.decimal(seconds, places: 6) }
            line.member("rps") { $0.decimal(requestsPerSecond, places: 2) }
            line.member("cpu_s") { $0.decimal(cpu, places: 6) }
            line.member("cpu_us_per_request") { $0.decimal(cpuPerRequest, places: 3) }
            line.member("peak_rss_kb") { $0.number(peakResident) }
            line.member("errors") { $0.number(tally.failures) }
            line.member("p50_us") { $0.decimal(latency(0.5), places: 1) }
            line.member("p99_us") { $0.decimal(latency(0.99), places: 1) }
        }
    }

    /// What is compared of them.
    var compared: [String: Double] {
        ["rps": requestsPerSecond, "cpu_us_per_request": cpuPerRequest, "p99_us": latency(0.99)].compactMapValues { $0 }
    }
}

extension StreamsOutcome {
    /// The line that other programs read; its CPU time is that of holding the streams, which is to be next to none.
    func json(named name: String) -> String {
        JSONWriter.line { line in
            line.member("name") { $0.string(name) }
            line.member("streams") { $0.number(open) }
            line.member("open_s") { $0.decimal(openSeconds, places: 6) }
            line.member("rss_bytes_per_stream") { $0.decimal(residentPerStream, places: 0) }
            line.member("cpu_s") { $0.decimal(holdingCPU, places: 6) }
            line.member("errors") { $0.number(failures) }
        }
    }

    /// What is compared of them.
    var compared: [String: Double] {
        ["open_s": openSeconds, "rss_bytes_per_stream": residentPerStream, "cpu_s": holdingCPU].compactMapValues { $0 }
    }
}

extension JSONWriter {
    fileprivate static func line(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(body)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    fileprivate mutating func decimal(_ number: Double?, places: Int) {
        guard let number, number.isFinite else { return null() }
        raw(String(format: "%.\(places)f", number).utf8)
    }
}
