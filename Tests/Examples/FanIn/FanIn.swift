import Freshet

/// Follows the event streams of many sensors at once, makes a summary of each window of readings, and stores it:
///
///     FanInExample http://127.0.0.1:8080 kitchen cellar garden
@main
struct FanIn {
    struct Reading: Decodable, Sendable {
        var sensor: String
        var degrees: Double
    }

    struct Summary: Encodable, Sendable {
        var count = 0
        var lowest = Double.infinity
        var highest = -Double.infinity
        var total = 0.0

        func adding(_ reading: Reading) -> Summary {
            Summary(
                count: count + 1, lowest: min(lowest, reading.degrees), highest: max(highest, reading.degrees),
                total: total + reading.degrees)
        }
    }

    static func main() async throws {
        let api = CommandLine.arguments[1]
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let summaries = stored(from: api, sensors: Array(CommandLine.arguments.dropFirst(2)), by: runtime)
        for try await summary in summaries.values {
            print("\(summary.count) readings from \(summary.lowest) to \(summary.highest), \(summary.total) in all")
        }
    }

    static func stored(from api: String, sensors: [String], by runtime: FreshetRuntime) -> Observable<Summary> {
        // Each sensor has a connection; all readings are in one stream.
        let readings = Observable.from(sensors).flatMap { sensor in
            EventSource(try Request(.get, "\(api)/sensors/\(sensor)"), by: runtime.client)
                .decode(Reading.self)
        }
        // A window is over after a second or a hundred readings.
        let summaries =
            readings
            .window(timeSpan: .seconds(1), count: 100, scheduler: runtime.scheduler)
            .flatMap { window in window.reduce(Summary()) { $0.adding($1) } }
            .filter { $0.count > 0 }
        // One after the other. While one is stored, everything above is held, down to the sockets.
        return summaries.concatMap { summary in
            runtime.client.post("\(api)/summaries", body: try .json(summary)).validate().map { _ in summary }
        }
    }
}
