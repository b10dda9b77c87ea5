import ArgumentParser
import Foundation
import Freshet
import Synchronization

/// `freshet bench`: load.
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send very many requests, and tell how fast they were answered.",
        discussion: """
            Ends after --requests or --duration, whichever comes first; without either after 10 s. Without --rate each of \
            --concurrency places sends its next request when it has its answer. With --rate requests begin on schedule \
            whatever the answers do, and latency is counted from the time at which a request should have begun: what \
            waits for a connection, because --concurrency are in use, is late, and shows it.

            Latency is that of requests that were answered. A status of 400 or above is an error, and so is a request that \
            was not answered; exit 1 if there are errors. Ctrl-C ends it, and what was done so far is told.
            """)

    private static let defaultDuration = Duration.seconds(10)

    @OptionGroup var message: MessageOptions

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("How many requests to send.", valueName: "n"))
    var requests: Int?

    @Option(help: ArgumentHelp("How long to send requests, or to hold streams.", valueName: "seconds"))
    var duration: Seconds?

    @Option(
        name: [.customShort("c"), .long], help: ArgumentHelp("How many requests are under way at once.", valueName: "n")
    )
    var concurrency = 64

    @Option(help: ArgumentHelp("Send from so many threads, each with a loop (default: 1).", valueName: "n"))
    var loops = 1

    @Option(help: ArgumentHelp("Send so many requests a second, whatever the answers do.", valueName: "r"))
    var rate: Double?

    @Option(
        help: ArgumentHelp(
            "Open so many event streams, --concurrency at a time, and hold them for --duration.", valueName: "n"))
    var streams: Int?

    @Flag(help: "Write one JSON line instead of the table.")
    var json = false

    @Option(help: ArgumentHelp("Write a page with plots, which needs no network.", valueName: "file.html"))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Show the runs of a file of --json lines beside this one in the page; can be repeated.", valueName: "file"))
    var compare: [String] = []

    @Option(help: ArgumentHelp("What to call this run, in the JSON line and in the page.", valueName: "name"))
    var name = "freshet"

    @OptionGroup(title: "Request options") var options: RequestOptions

    func validate() throws {
        if let requests, requests < 1 { throw ValidationError("--requests is a number from 1 up") }
        if concurrency < 1 { throw ValidationError("--concurrency is a number from 1 up") }
        if !(1...256).contains(loops) { throw ValidationError("--loops is a number from 1 to 256") }
        if let rate, !(rate > 0 && rate <= 1e6) { throw ValidationError("--rate is a number over 0, up to 1000000") }
        if let streams, streams < 1 { throw ValidationError("--streams is a number from 1 up") }
        if streams != nil, requests != nil || rate != nil || loops > 1 {
            throw ValidationError("--streams goes with neither --requests nor --rate nor --loops")
        }
        if !compare.isEmpty, report == nil { throw ValidationError("--compare is shown in a page; add --report") }
        if report == "" { throw ValidationError("--report names no file") }
        if report == "-", json { throw ValidationError("--json and --report - would both be the output") }
    }

    func run() throws {
        var request = try message.request()
        let figures = streams == nil ? ComparedFigure.load : ComparedFigure.streams
        let earlier = try compare.flatMap { try EarlierRun.all(in: $0, figures) }
        let page = try report.map { try OutputFile($0) }
        defer { page?.discard() }
        if let streams { return try hold(streams, &request, page, earlier) }
        let plan = LoadPlan(
            requests: requests, duration: duration?.duration ?? (requests == nil ? Self.defaultDuration : nil),
            concurrency: concurrency, rate: rate)
        let client = try LiveClient(options, concurrency: concurrency) { $0.loops = min(loops, concurrency) }
        defer { client.shutdown() }
        let date = Date()
        let (outcome, stopped) = try client.measure { loops in
            let run = LoadRun(plan, sending: request, by: client.http, on: loops, keepsSeries: page != nil)
            return (run.stop, LoadLine(plan) { run.progress }.text, run.outcome)
        }
        try tell(
            page,
            Report(
                name: name, request: request, plan: plan, outcome: outcome, isInterrupted: stopped != nil, date: date,
                earlier: earlier
            ).html, json ? outcome.json(named: name) : LoadTable(outcome: outcome).text)
        try end(stopped, outcome.tally.failures, of: outcome.tally.requests, outcome.tally.failuresByCount)
    }

    /// Writes the page, if one is wanted, and the result.
    private func tell(_ page: OutputFile?, _ html: @autoclosure () -> String, _ text: String) throws {
        // Neither is lost because the other can't be written.
        let saved = Result { try page?.write(Array(html().utf8)) }
        if report != "-" { try printResult(text) }
        _ = try saved.get()
    }

    private func hold(
        _ streams: Int, _ request: inout Request, _ page: OutputFile?, _ earlier: [EarlierRun]
    ) throws {
        if request.headers[.accept] == nil { request.headers[.accept] = "text/event-stream" }
        var timeout = Duration.seconds(60)
        if let given = options.timeout { timeout = given.duration }
        let plan = StreamHold.Plan(
            streams: streams, concurrency: concurrency, duration: duration?.duration ?? Self.defaultDuration,
            timeout: timeout)
        let client = try LiveClient(options, concurrency: concurrency) { configuration in
            configuration.client.timeout = nil
            configuration.transport.pool.maximumLongLived = streams
        }
        defer { client.shutdown() }
        let date = Date()
        let (outcome, stopped) = try client.measure { [request] loops in
            let run = StreamHold(plan, sending: request, by: client.http, on: loops[0], keepsSeries: page != nil)
            return (run.stop, run.text, run.outcome)
        }
        try tell(
            page,
            StreamsReport(
                name: name, request: request, plan: plan, outcome: outcome, isInterrupted: stopped != nil, date: date,
                earlier: earlier
            ).html, json ? outcome.json(named: name) : outcome.text)
        try end(stopped, outcome.failures, of: streams, outcome.failuresByCount)
    }

    /// Says what failed, and with which status the process ends.
    private func end(
        _ stopped: Stopped?, _ failures: Int, of all: Int, _ kinds: [(kind: String, failures: LoadTally.Failures)]
    ) throws {
        if let stopped { throw stopped }
        guard failures > 0, let first = kinds.first else { return }
        Console.write(
            "freshet: \(grouped(failures)) of \(grouped(all)) \(streams == nil ? "requests" : "streams") failed, such as: "
                + "\(first.failures.example)\n")
        throw ExitStatus(code: 1)
    }
}

/// The signal that asked for the end, 0 if none did.
private final class StoppedBy: Sendable {
    let signal = Atomic<Int32>(0)
}

extension LiveClient {
    /// Runs what `begin` begins, with a live line, until its end or until a signal ends it early.
    ///
    /// - Parameter begin: gets the loops, and gives the ways to end it early, to draw its line and to wait for it.
    fileprivate func measure<Outcome>(
        _ begin: ([Loop]) -> (stop: @Sendable () -> Void, line: @Sendable () -> String, outcome: () -> Outcome)
    ) throws -> (Outcome, Stopped?) {
        let stopped = StoppedBy()
        let (stop, line, outcome) = begin(loops)
        Signals.shared.take { signal in
            stopped.signal.store(signal, ordering: .releasing)
            stop()
        }
        let progress = ProgressLine(line)
        let result = outcome()
        Signals.shared.letGo()
        progress.stop()
        let signal = stopped.signal.load(ordering: .acquiring)
        return (result, signal == 0 ? nil : Stopped(signal: signal))
    }
}
