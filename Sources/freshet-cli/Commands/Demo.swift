import ArgumentParser
import Freshet
import FreshetLoad

/// `freshet demo`: shows what happens when many requests lose their token at once, on a server of its own.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what happens when a thousand requests lose their token at once.",
        discussion: """
            Starts a server on loopback whose access tokens expire three times in the run, or less often with fewer than \
            four requests, and whose refresh tokens are good for one refresh; sends all requests at once and follows an \
            event stream meanwhile. A request is replayed when it is sent again with a newer token, and can be replayed \
            once for each expiry. Exit 1 if a response was lost or a token was refreshed twice.
            """)

    @Option(help: ArgumentHelp("How many requests are sent at once, at most 100000.", valueName: "n"))
    var requests = 1000

    @Option(help: ArgumentHelp("Write the picture to an SVG file, too.", valueName: "file"), completion: .file())
    var svg: String?

    func validate() throws {
        if svg == "" { throw ValidationError("--svg names no file") }
        if !(1...100_000).contains(requests) { throw ValidationError("--requests is a number from 1 to 100000") }
    }

    func run() throws {
        let flood = try Flood(of: requests)
        defer { flood.shutdown() }
        let progress = ProgressLine { width in
            let answered = flood.log.count(of: .answered)
            return TextFormat.progress(
                Double(answered) / Double(flood.count),
                ["\(TextFormat.count(answered)) of \(TextFormat.count(flood.count))"], in: width)
        }
        defer { progress.stop() }
        try finish(flood.run())
        progress.stop()
        let report = FloodReport(flood)
        let lines = report.lines
        if let svg {
            let file = try OutputFile(svg)
            defer { file.discard() }
            try file.write(Array(SVGPicture(of: lines).text.utf8))
        }
        if svg != "-" { try printResult(lines.map(\.terminalText).joined(separator: "\n")) }
        if !report.isWell { throw ExitStatus(code: 1) }
    }
}
