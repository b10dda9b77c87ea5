import Foundation
import Harness

/// A big file, beside the `curl` command.
enum Downloads {
    static func report(_ options: Options, at nginx: Nginx) throws {
        let file = Directory.shared.path("download")
        let url = nginx.plain + "/big"
        let contenders: [(name: String, words: [String])] = [
            ("curl", ["curl", "-s", "-o", file, url]),
            ("limit", Contender.limit.words + [url, "-o", file]),
            ("Freshet", Contender.freshet.words + [url, "-o", file]),
        ]
        var seconds: [String: [Double]] = [:]
        for round in 0..<options.rounds {
            for contender in round.isMultiple(of: 2) ? contenders : contenders.reversed() {
                let start = ContinuousClock.now
                try Child.run(contender.words)
                seconds[contender.name, default: []].append((ContinuousClock.now - start) / .seconds(1))
                let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
                guard size == options.gibibytes << 30 else {
                    throw Child.Failed("\(contender.name) has saved \(size ?? 0) bytes")
                }
                try FileManager.default.removeItem(atPath: file)
            }
        }
        let table = Table(
            "a download of \(options.gibibytes) GiB [download], \(options.rounds) rounds", [("speed", 8)])
        for contender in contenders {
            let ratios = zip(seconds["curl"] ?? [], seconds[contender.name] ?? []).map { $0 / $1 }.sorted()
            table.row(contender.name, [Table.ratio(ratios[ratios.count / 2])])
        }
    }
}
