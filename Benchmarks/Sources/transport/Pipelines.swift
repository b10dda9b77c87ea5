import Harness

/// `freshet run` beside the limit.
enum Pipelines {
    private static let title = "freshet run"

    static func report(_ options: Options, at nginx: Nginx, libcurl: String) throws {
        guard options.hasFreshet else {
            print("\nrun is left out: \(options.freshet) is not there; swift build -c release --product freshet")
            return
        }
        let count = max(1000, Int(1_000_000 * options.share))
        // One alone sends a million requests.
        let rounds = min(options.rounds, 3)
        var limits: [Figures] = []
        var runs: [Pipeline.Outcome] = []
        for _ in 0..<rounds {
            let scenario = Scenario(
                key: "run", title: title, path: "/200", requests: count, concurrency: 64, bytes: 200,
                contenders: [.limit])
            limits.append(try Figures.of(.limit, in: scenario, at: nginx, requests: count))
            runs.append(try Pipeline(freshet: options.freshet, url: nginx.plain + "/200", count: count).run())
        }
        let table = Table(
            "\(count) lines through freshet run, 64 at a time [run], \(libcurl), \(rounds) rounds",
            [("req/s", 8), ("CPU", 8), ("resident at a tenth, at most", 31), ("against", 31)])
        table.row(
            title,
            [
                Table.ratio(median(zip(runs, limits).map { $0.rate / $1.rps })),
                Table.ratio(median(zip(runs, limits).map { $0.cpuMicroseconds / $1.cpuMicroseconds })),
                "\(runs.map(\.earlyKilobytes).max() ?? 0) kB, \(runs.map(\.peakKilobytes).max() ?? 0) kB", "limit",
            ])
    }

    private static func median(_ ratios: [Double]) -> Double {
        ratios.sorted()[ratios.count / 2]
    }
}
