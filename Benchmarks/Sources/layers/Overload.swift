import Freshet
import Harness

/// Half as much again as a server can do: how many responses are good and come in time.
enum Overload {
    /// In milliseconds.
    private static let inTime = 100.0

    private static let contenders = [
        Contender("no layers"),
        Contender("circuit breaker") { $0.client.with(layers: [breaker($0)]) },
        Contender("rate limit") { $0.client.with(layers: [limit($0)]) },
        Contender("circuit breaker and rate limit") { $0.client.with(layers: [breaker($0), limit($0)]) },
    ]

    private static func breaker(_ runtime: FreshetRuntime) -> CircuitBreaking {
        var settings = CircuitBreaker.Settings()
        settings.slowCall = .milliseconds(Int64(inTime))
        settings.slowCallRate = 0.5
        settings.pause = .seconds(1)
        return CircuitBreaking(settings, scheduler: runtime.scheduler)
    }

    private static func limit(_ runtime: FreshetRuntime) -> RateLimit {
        RateLimit(
            .fixed(perSecond: 380, burst: 10), maximumWait: .milliseconds(Int64(inTime / 2)),
            scheduler: runtime.scheduler)
    }

    static func report(_ options: Options) async throws {
        let load = Load(perSecond: 600, seconds: options.seconds)
        var goodput = contenders.map { _ in [Double]() }
        var sent = goodput
        for _ in 0..<options.rounds {
            for (index, contender) in contenders.enumerated() {
                // A new one, because the last contender's requests would still be in its queue.
                let server = try Server(.limited)
                defer { server.end() }
                let responses = try await contender.run { try await load.run($0, $1, to: server.url) }
                let good = responses.count { $0.isRight && $0.milliseconds <= inTime }
                goodput[index].append(Double(good) / responses.seconds)
                sent[index].append(Double(try server.requests()) / responses.seconds)
            }
        }
        let table = Table(
            "\(load.perSecond) GETs per second at a server of 400 per second [overload], \(options.rounds) rounds",
            [("in time", 9), ("in time per second", 20), ("sent per second", 17)])
        for (index, contender) in contenders.enumerated() {
            table.row(
                contender.name,
                [
                    Table.ratio(ratio(goodput[index], to: goodput[0])), Table.ratio(median(goodput[index])),
                    Table.ratio(median(sent[index])),
                ])
        }
    }
}
