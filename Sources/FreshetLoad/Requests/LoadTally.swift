/// The counts of a load run so far.
struct LoadTally: Sendable {
    /// The number of requests that got a response with a status below 400.
    var responses = 0
    var failures = LoadFailures()
    /// The bytes of all response bodies, decoded.
    var bytes = 0
    /// The number of connections that were made.
    var connections = 0
    var isHTTP2 = false
    /// The latencies of all requests that got a response, regardless of its status.
    var latency = LatencyHistogram()
    /// The shortest time in seconds after which a request has failed; `nil` if each got a response.
    var shortestFailure: Double?
    /// The same counts over time; `nil` if they are not kept.
    var series: LoadSeries?

    /// The number of requests that have ended.
    var requests: Int { responses + failures.count }

    mutating func recordFailure(after seconds: Double) {
        shortestFailure = min(shortestFailure ?? seconds, seconds)
    }

    mutating func merge(_ other: LoadTally) {
        responses += other.responses
        failures.merge(other.failures)
        bytes += other.bytes
        connections += other.connections
        isHTTP2 = isHTTP2 || other.isHTTP2
        latency.merge(other.latency)
        if let shortest = other.shortestFailure { recordFailure(after: shortest) }
        if let more = other.series { if series?.merge(more) == nil { series = more } }
    }
}
