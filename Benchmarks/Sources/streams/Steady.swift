import Harness

/// An event a second on each stream: what it costs to count the bytes, and what to know each event.
enum Steady {
    static func report(_ options: Options) throws {
        let server = try SilentServer(period: 1000)
        defer { server.end() }
        let words = ["--streams", "\(options.streams)", "--seconds", "\(options.seconds)"]
        var (limits, ours): ([Figures], [Figures]) = ([], [])
        for round in 0..<options.rounds {
            func limit() throws {
                limits.append(
                    try Figures(line: Child.run([Child.sibling("curl-limit"), server.url] + words).output))
            }
            if round.isMultiple(of: 2) { try limit() }
            ours.append(try Figures(line: Child.run([Child.sibling("streams"), "client", server.url] + words).output))
            if !round.isMultiple(of: 2) { try limit() }
        }
        for figures in limits + ours { try figures.check(options) }
        let table = Table(
            "\(options.streams) streams, one event per second each, \(options.seconds) s [steady], \(options.rounds) rounds",
            [
                ("to open", 9), ("CPU", 8), ("CPU per event", 14), ("RSS per stream", 14), ("at most", 10),
                ("events", 10),
            ])
        func row(_ name: String, _ figures: [Figures]) {
            let open = zip(figures, limits).map { $0.seconds / $1.seconds }.sorted()
            let cpu = zip(figures, limits).map { $0.cpu / $1.cpu }.sorted()
            let all = Double(options.streams * options.seconds)
            let each = figures.map { $0.cpu / all * 1e6 }.sorted()
            table.row(
                name,
                [
                    Table.ratio(open[open.count / 2]), Table.ratio(cpu[cpu.count / 2]),
                    "\(Table.ratio(each[each.count / 2])) µs", "\(figures.map(\.bytesEach).max() ?? 0) B",
                    figures.compactMap(\.peak).max().map { "\($0 / 1024) MiB" } ?? "-",
                    figures.last?.events.map { "\($0)" } ?? "-",
                ])
        }
        row("limit, which counts bytes", limits)
        row("Freshet, each once and in order", ours)
    }
}
