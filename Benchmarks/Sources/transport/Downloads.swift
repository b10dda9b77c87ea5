import Foundation
import Harness

/// A big file, beside the `curl` command.
enum Downloads {
    private struct Peak: Decodable {
        var kilobytes: Int

        enum CodingKeys: String, CodingKey { case kilobytes = "peak_rss_kb" }
    }

    static func report(_ options: Options, at nginx: Nginx, libcurl: String) throws {
        let file = Directory.shared.path("download")
        let url = nginx.plain + "/big"
        let contenders: [(name: String, words: [String])] = [
            ("curl", ["curl", "-s", "-o", file, url]),
            ("limit", Contender.limit.words + [url, "-o", file]),
            ("Freshet", Contender.freshet.words + [url, "-o", file]),
        ]
        var seconds: [String: [Double]] = [:]
        var memory: [String: Int] = [:]
        for round in 0..<options.rounds {
            for contender in round.isMultiple(of: 2) ? contenders : contenders.reversed() {
                let start = ContinuousClock.now
                let line = try Child.run(contender.words).output
                seconds[contender.name, default: []].append((ContinuousClock.now - start) / .seconds(1))
                memory[contender.name] = try? JSONDecoder().decode(Peak.self, from: Data(line.utf8)).kilobytes
                let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
                guard size == options.gibibytes << 30 else {
                    throw Child.Failed("\(contender.name) has saved \(size ?? 0) bytes")
                }
                try FileManager.default.removeItem(atPath: file)
            }
        }
        let table = Table(
            "a download of \(options.gibibytes) GiB [download], \(libcurl), \(options.rounds) rounds",
            [("speed", 8), ("memory at most", 20)])
        for contender in contenders {
            let ratios = zip(seconds["curl"] ?? [], seconds[contender.name] ?? []).map { $0 / $1 }.sorted()
            table.row(
                contender.name,
                [Table.ratio(ratios[ratios.count / 2]), memory[contender.name].map { "\($0 / 1024) MiB" } ?? "-"])
        }
    }
}
