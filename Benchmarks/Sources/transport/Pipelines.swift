import Harness

/// `freshet run` beside the limit, and beside itself without a network.
enum Pipelines {
    private static let title = "freshet run"
    private static let titleOfStub = "freshet run, answering itself"

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
        var stubs: [Pipeline.Outcome] = []
        for _ in 0..<rounds {
            let scenario = Scenario(
                key: "run", title: title, path: "/200", requests: count, concurrency: 64, bytes: 200,
                contenders: [.limit])
            limits.append(try Figures.of(.limit, in: scenario, at: nginx, requests: count))
            func pipeline(_ extra: [String]) -> Pipeline {
                Pipeline(freshet: options.freshet, url: nginx.plain + "/200", count: count, extra: extra)
            }
            runs.append(try pipeline([]).run())
            stubs.append(try pipeline(["--stub"]).run())
        }
        let table = Table(
            "\(count) lines through freshet run, 64 at a time [run], \(libcurl), \(rounds) rounds",
            [("req/s", 8), ("CPU", 8), ("resident at a tenth, at most", 31), ("against", 31)])
        func row(_ name: String, _ outcomes: [Pipeline.Outcome], _ base: String, _ rates: [Double], _ cpu: [Double]) {
            table.row(
                name,
                [
                    Table.ratio(median(zip(outcomes, rates).map { $0.rate / $1 })),
                    Table.ratio(median(zip(outcomes, cpu).map { $0.cpuMicroseconds / $1 })),
                    "\(outcomes.map(\.earlyKilobytes).max() ?? 0) kB, "
                        + "\(outcomes.map(\.peakKilobytes).max() ?? 0) kB", base,
                ])
        }
        row(title, runs, "limit", limits.map(\.rps), limits.map(\.cpuMicroseconds))
        row(title, runs, titleOfStub, stubs.map(\.rate), stubs.map(\.cpuMicroseconds))
        // The two after each other: no program could do both sooner on one processor.
        row(
            title, runs, "limit and lines, in turn", zip(limits, stubs).map { 1 / (1 / $0.rps + 1 / $1.rate) },
            zip(limits, stubs).map { $0.cpuMicroseconds + $1.cpuMicroseconds })
        row(titleOfStub, stubs, "limit", limits.map(\.rps), limits.map(\.cpuMicroseconds))
    }

    private static func median(_ ratios: [Double]) -> Double {
        ratios.sorted()[ratios.count / 2]
    }
}
