import Foundation
import Harness

/// Very many silent event streams: how long they take to open, what memory each holds, and how often the process calls
/// the system while nothing comes.
enum Silence {
    private struct Figures: Decodable {
        var streams: Int
        var openSeconds: Double
        var bytesEach: Int
        var errors: Int

        enum CodingKeys: String, CodingKey {
            case streams, errors
            case openSeconds = "open_s"
            case bytesEach = "rss_bytes_per_stream"
        }
    }

    static func report(_ options: Options, at url: String, libcurl: String) throws {
        let contenders: [Contender] = [.limit, .freshet] + (options.hasPeers && Contender.nio.isThere ? [.nio] : [])
        var seconds: [String: [Double]] = [:]
        var bytes: [String: Int] = [:]
        for round in 0..<options.rounds {
            for contender in round.isMultiple(of: 2) ? contenders : contenders.reversed() {
                // One that still puts the last contender's streams away would be the slower one.
                let server = try SilentServer()
                defer { server.end() }
                let line = try Child.run(
                    contender.words + [server.url, "--streams", "\(options.streams)", "--seconds", "0"]
                ).output
                let figures = try JSONDecoder().decode(Figures.self, from: Data(line.utf8))
                guard figures.errors == 0, figures.streams == options.streams else {
                    throw Child.Failed("\(contender.name) lost streams: \(line)")
                }
                seconds[contender.name, default: []].append(figures.openSeconds)
                bytes[contender.name] = figures.bytesEach
            }
        }
        let table = Table(
            "\(options.streams) silent streams [streams], \(libcurl), \(options.rounds) rounds",
            [("to open", 10), ("RSS per stream", 15), ("system calls in \(options.silence) s", 25)])
        for contender in contenders {
            let ratios = zip(seconds[contender.name] ?? [], seconds[Contender.limit.name] ?? []).map { $0 / $1 }
            table.row(
                contender.name,
                [
                    Table.ratio(ratios.sorted()[ratios.count / 2]), "\(bytes[contender.name] ?? 0) B",
                    options.silence == 0 ? "-" : try calls(of: contender, options, at: url),
                ])
        }
    }

    private static func calls(of contender: Contender, _ options: Options, at url: String) throws -> String {
        let complaints = Pipe()
        let process = try Child.start(
            ["sh", "-c", "exec \"$@\"", "sh"] + contender.words + [
                url, "--streams", "\(options.streams)", "--seconds", "\(options.silence + 5)",
            ], output: Pipe(), complaints: complaints)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        while !complaints.fileHandleForReading.line().contains("streams are open") {}
        // The last answers are still being looked at.
        sleep(1)
        let trace = Directory.shared.path("trace")
        _ = try? Child.run([
            "timeout", "-s", "INT", "\(options.silence)", "strace", "-c", "-f", "-o", trace, "-p",
            "\(process.processIdentifier)",
        ])
        let lines = ((try? String(contentsOfFile: trace, encoding: .utf8)) ?? "").split(separator: "\n")
        let calls = lines.compactMap { line -> (name: Substring, count: Int)? in
            let words = line.split(separator: " ")
            guard words.count >= 5, let name = words.last, name != "total" else { return nil }
            return Int(words[3]).map { (name, $0) }
        }
        return calls.isEmpty ? "none" : calls.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }
}
