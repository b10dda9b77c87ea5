import Foundation
import Harness

/// The server of all streams is ended and started again: all have to come back within their backoff, not all at once, and
/// without an event too many or too few.
enum Restart {
    static func report(_ options: Options) throws {
        let port = Port.free()
        var server = try SilentServer(port: port, period: 1000)
        defer { server.end() }
        let (output, complaints) = (Pipe(), Pipe())
        // Twice the reconnection time and its backoff, and time for events before and after.
        let seconds = 3 + Int(options.down) + 12
        let client = try Child.start(
            [
                Child.sibling("streams"), "client", server.url, "--streams", "\(options.streams)", "--seconds",
                "\(seconds)",
            ], output: output, complaints: complaints)
        while !complaints.fileHandleForReading.line().contains("streams are open") {}
        sleep(3)
        server.end()
        usleep(UInt32(options.down * 1e6))
        server = try SilentServer(port: port, period: 1000)
        let line = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        client.waitUntilExit()
        let figures = try Figures(line: line)
        try figures.check(options)
        show(figures, options)
    }

    private static func show(_ figures: Figures, _ options: Options) {
        let bins = figures.absences ?? []
        print(
            """

            \(options.streams) streams, whose server is away for \(options.down) s [restart]
              \(bins.reduce(0, +)) came back, with \((figures.attempts ?? 0) - options.streams) connections asked for; \
            \(figures.events ?? 0) events, none missed, none twice
              the latest one \(figures.latest ?? 0) ms after the waiting time that it had told of; \
            at most \(bins.max() ?? 0) in a tenth of a second
              away for
            """)
        let most = Double(max(1, bins.max() ?? 1))
        for (index, count) in bins.enumerated() where index >= bins.firstIndex(where: { $0 > 0 }) ?? 0 {
            let bar = String(repeating: "#", count: Int((Double(count) / most * 50).rounded(.up)))
            let time = String(format: "%6.1f s", Double(index) / 10)
            print("  \(time) \(bar.padding(toLength: 51, withPad: " ", startingAt: 0))\(count)")
        }
    }
}
