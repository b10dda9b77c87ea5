/// A figure by which runs are compared.
public struct ComparedFigure: Sendable {
    /// The name of the figure in the line of `--json`.
    let key: String
    let title: String
    var isMoreBetter = false
    let text: @Sendable (Double) -> String

    /// The figures of runs that send requests.
    public static let load = [
        ComparedFigure(key: "rps", title: "Requests a second", isMoreBetter: true) { TextFormat.short($0) },
        ComparedFigure(key: "cpu_us_per_request", title: "CPU time a request") { TextFormat.latency($0) },
        ComparedFigure(key: "p99_us", title: "p99 latency") { TextFormat.latency($0) },
    ]

    /// The figures of runs that hold streams.
    public static let streams = [
        ComparedFigure(key: "open_s", title: "Time to open them") { TextFormat.seconds($0) },
        ComparedFigure(key: "rss_bytes_per_stream", title: "Memory a stream") { TextFormat.bytes($0) },
        ComparedFigure(key: "cpu_s", title: "CPU time to hold them") { TextFormat.seconds($0) },
    ]
}
