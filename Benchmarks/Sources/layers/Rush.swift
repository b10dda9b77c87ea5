import Freshet
import Harness
import Peer

/// A thousand GETs of one URL at once, with and without coalescing.
enum Rush {
    private static let count = 1000
    /// What a turn of one contender is made of.
    private static let repetitions = 20

    private struct Figures {
        var requests: [Double] = []
        var milliseconds: [Double] = []
        var cpu: [Double] = []
    }

    static func report(_ options: Options) async throws {
        let contenders = [Contender("no layers"), Contender("coalescing") { $0.client.with(layers: [Coalescing()]) }]
        var figures = contenders.map { _ in Figures() }
        let server = try Server(.prompt)
        defer { server.end() }
        for _ in 0..<options.rounds {
            for (index, contender) in contenders.enumerated() {
                try await contender.run { client, runtime in
                    try await rush(client, runtime, to: server.url)
                    let (before, start, cpu) = (try server.requests(), Clock.nanoseconds, Clock.processorSeconds)
                    for _ in 0..<repetitions { try await rush(client, runtime, to: server.url) }
                    figures[index].milliseconds.append(
                        Double(Clock.nanoseconds - start) / 1e6 / Double(repetitions))
                    figures[index].cpu.append((Clock.processorSeconds - cpu) * 1e3 / Double(repetitions))
                    figures[index].requests.append(Double(try server.requests() - before) / Double(repetitions))
                }
            }
        }
        let table = Table(
            "\(count) GETs of one URL at once [coalescing], \(options.rounds) rounds",
            [("time", 8), ("CPU", 8), ("time in ms", 12), ("CPU in ms", 12), ("requests sent", 15)])
        for (contender, own) in zip(contenders, figures) {
            table.row(
                contender.name,
                [
                    Table.ratio(ratio(own.milliseconds, to: figures[0].milliseconds)),
                    Table.ratio(ratio(own.cpu, to: figures[0].cpu)), Table.ratio(median(own.milliseconds)),
                    Table.ratio(median(own.cpu)), Table.ratio(median(own.requests)),
                ])
        }
    }

    private static func rush(_ client: HTTPClient, _ runtime: FreshetRuntime, to url: String) async throws {
        let right = try await Observable.range(start: 0, count: count)
            .flatMap { _ in client.get(url).validate().asObservable() }
            .subscribe(on: runtime.scheduler)
            .filter { $0.body.count == 200 }
            .reduce(0) { count, _ in count + 1 }
            .asSingle().value
        guard right == count else { throw Child.Failed("\(count - right) of \(count) responses are wrong") }
    }
}
