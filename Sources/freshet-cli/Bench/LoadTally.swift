import Freshet

/// What came of the requests so far.
struct LoadTally: Sendable {
    /// Failures of one kind.
    struct Failures: Sendable {
        var count = 0
        /// What the first of them said, which holds no secret.
        var example: String
    }

    /// Those that were answered with a status below 400.
    var answers = 0
    var failures = 0
    /// By the error's code, or by `status 503` and the like.
    private(set) var kinds: [String: Failures] = [:]
    /// Of bodies, decoded.
    var bytes = 0
    /// How many connections were made.
    var connections = 0
    var isHTTP2 = false
    /// Of what was answered, with whatever status.
    var latency = LatencyHistogram()
    /// For who wants to see it on a time line.
    var series: LoadSeries?

    /// All that have ended.
    var requests: Int { answers + failures }

    mutating func fail(_ kind: String, _ example: @autoclosure () -> String) {
        failures += 1
        kinds[kind, default: Failures(example: example())].count += 1
    }

    mutating func merge(_ other: LoadTally) {
        answers += other.answers
        failures += other.failures
        kinds.merge(other.kinds) { Failures(count: $0.count + $1.count, example: $0.example) }
        bytes += other.bytes
        connections += other.connections
        isHTTP2 = isHTTP2 || other.isHTTP2
        latency.merge(other.latency)
        if let more = other.series { if series?.merge(more) == nil { series = more } }
    }

    /// The most frequent kind first.
    var failuresByCount: [(kind: String, failures: Failures)] {
        kinds.sorted { ($0.value.count, $1.key) > ($1.value.count, $0.key) }.map { ($0.key, $0.value) }
    }
}

extension LoadTally {
    /// The kind and the words of an error that ended a request.
    static func explain(_ error: any Error) -> (kind: String, example: String) {
        guard let error = error as? HTTPClientError else { return ("\(type(of: error))", "\(error)") }
        return (error.code.rawValue, error.words)
    }
}
