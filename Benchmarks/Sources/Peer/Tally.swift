/// What has become of the requests, and what it took. One thread's, or guarded by whoever shares it.
public struct Tally {
    private let name: String
    private let options: PeerOptions
    /// Of each answer, in microseconds.
    private var latencies: [UInt32] = []
    public private(set) var errors = 0
    private var bytes = 0
    private let began = Clock.nanoseconds
    private let processorBegan = Clock.processorSeconds

    public var count: Int { latencies.count }

    /// Begins to take the time.
    public init(of name: String, _ options: PeerOptions) {
        self.name = name
        self.options = options
        latencies.reserveCapacity(options.requests)
    }

    /// - Parameter bytes: of the body; `nil` if the answer did not come.
    public mutating func add(bytes received: Int?, since start: UInt64) {
        latencies.append(UInt32(clamping: (Clock.nanoseconds - start) / 1000))
        bytes += received ?? 0
        if received == nil || (options.bytes > 0 && received != options.bytes) { errors += 1 }
    }

    /// The line of JSON.
    public func line() -> String {
        let seconds = Double(Clock.nanoseconds - began) / 1e9
        let processor = Clock.processorSeconds - processorBegan
        let count = Double(latencies.count)
        let sorted = latencies.sorted()
        return JSONLine(name)
            .with("requests", latencies.count).with("seconds", seconds).with("rps", count / seconds)
            .with("cpu_s", processor).with("cpu_us_per_request", processor / count * 1e6)
            .with("peak_rss_kb", Memory.peakKilobytes).with("errors", errors)
            .with("p50_us", Int(sorted[sorted.count / 2])).with("p99_us", Int(sorted[sorted.count * 99 / 100]))
            .with("bytes", bytes).text
    }
}
