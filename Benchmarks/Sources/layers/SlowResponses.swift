import Freshet
import Harness

/// A server that is slow once in a hundred times, with and without hedging.
enum SlowResponses {
    private struct Figures {
        var p50: [Double] = []
        var p99: [Double] = []
        var slowest: [Double] = []
        var load: [Double] = []
    }

    static func report(_ options: Options) async throws {
        let contenders = [
            Contender("no layers"),
            Contender("hedging") { runtime in
                let budget = RetryBudget(scheduler: runtime.scheduler)
                var retries = RetryPolicy(limit: 2)
                retries.budget = budget
                return runtime.client.with(
                    interceptors: [retries], layers: [Hedging(budget: budget, scheduler: runtime.scheduler)])
            },
        ]
        let load = Load(perSecond: 400, seconds: options.seconds)
        var figures = contenders.map { _ in Figures() }
        let server = try Server(.slowAtTimes)
        defer { server.end() }
        for _ in 0..<options.rounds {
            for (index, contender) in contenders.enumerated() {
                try await contender.run { client, runtime in
                    _ = try await Load(perSecond: 400, seconds: 1).run(client, runtime, to: server.url)
                    let before = try server.requests()
                    let responses = try await load.run(client, runtime, to: server.url)
                    guard responses.allSatisfy(\.isRight) else { throw Child.Failed("responses are wrong") }
                    figures[index].p50.append(responses.latency(0.5))
                    figures[index].p99.append(responses.latency(0.99))
                    figures[index].slowest.append(responses.latency(0.999))
                    figures[index].load.append(Double(try server.requests() - before) / Double(responses.count))
                }
            }
        }
        let table = Table(
            "\(load.perSecond) GETs per second, one in 100 takes 100 ms [hedging], \(options.rounds) rounds",
            [("p50", 8), ("p99", 8), ("p99.9", 8), ("p50 in ms", 12), ("p99 in ms", 12), ("requests sent", 15)])
        for (contender, own) in zip(contenders, figures) {
            table.row(
                contender.name,
                [
                    Table.ratio(ratio(own.p50, to: figures[0].p50)), Table.ratio(ratio(own.p99, to: figures[0].p99)),
                    Table.ratio(ratio(own.slowest, to: figures[0].slowest)), Table.ratio(median(own.p50)),
                    Table.ratio(median(own.p99)), Table.ratio(ratio(own.load, to: figures[0].load)),
                ])
        }
    }
}
