import ArgumentParser
import Foundation
import Freshet
import FreshetLoad

/// `freshet bench`: sends very many requests, and reports how fast the responses come.
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send very many requests, and report how fast the responses come.",
        discussion: """
            Ends after --requests or --duration, whichever comes first; without either after 10 s. Without --rate each of \
            --concurrency places sends its next request when it has its response. With --rate requests begin on schedule \
            whatever the responses do, and latency is counted from the time at which a request should have begun: what \
            waits for a connection, because --concurrency are in use, is late, and shows it.

            Latency is that of requests that got a response. A status of 400 or above is an error, and so is a request without \
            a response; exit 1 if there are errors, or no response at all. Ctrl-C ends the run, and reports the requests so far.
            """)

    private static let defaultDuration = Duration.seconds(10)
    /// More would keep a loop from its timers and from Ctrl-C while it begins them.
    private static let mostAtOnce = 10_000
    private static let mostStreams = 1_000_000

    @OptionGroup var message: MessageOptions

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("How many requests to send.", valueName: "n"))
    var requests: Int?

    @Option(help: ArgumentHelp("How long to send requests, or to hold streams.", valueName: "seconds"))
    var duration: Seconds?

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("How many requests are under way at once, at most 10000.", valueName: "n"))
    var concurrency = 64

    @Option(help: ArgumentHelp("Send from so many threads, each with a loop.", valueName: "n"))
    var loops = 1

    @Option(
        help: ArgumentHelp(
            "Send so many requests per second, 0.001 to 1000000, whatever the responses do.", valueName: "r"))
    var rate: DecimalNumber?

    @Option(
        help: ArgumentHelp(
            "Open so many event streams, at most 1000000, --concurrency at a time, and hold them for --duration.",
            valueName: "n"))
    var streams: Int?

    @Flag(help: "Write one JSON line instead of the table.")
    var json = false

    @Option(
        help: ArgumentHelp("Write a page with plots, which needs no network.", valueName: "file.html"),
        completion: .file())
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Show the runs of a file of --json lines beside this one in the page; can be repeated.", valueName: "file"),
        completion: .file())
    var compare: [String] = []

    @Option(help: ArgumentHelp("What to call this run, in the JSON line and in the page.", valueName: "name"))
    var name = "freshet"

    @OptionGroup(title: "Request options") var options: RequestOptions
    @OptionGroup(title: "Request options") var network: NetworkOptions
    @OptionGroup(title: "Request options") var profile: ProfileOptions

    func validate() throws {
        if let method = message.method, !method.isEmpty, method.allSatisfy(\.isNumber) {
            throw ValidationError("--request is the method; how many requests to send is --requests N")
        }
        try checkBody()
        if let requests, requests < 1 { throw ValidationError("--requests is a number from 1 up") }
        if !(1...Self.mostAtOnce).contains(concurrency) {
            throw ValidationError("--concurrency is a number from 1 to \(Self.mostAtOnce)")
        }
        if !(1...256).contains(loops) { throw ValidationError("--loops is a number from 1 to 256") }
        if let rate = rate?.value, !(0.001...1e6).contains(rate) {
            throw ValidationError("--rate is a number from 0.001 to 1000000")
        }
        if let streams, !(1...Self.mostStreams).contains(streams) {
            throw ValidationError("--streams is a number from 1 to \(Self.mostStreams)")
        }
        if streams != nil, requests != nil || rate != nil || loops > 1 {
            throw ValidationError("--streams goes with neither --requests nor --rate nor --loops")
        }
        if !compare.isEmpty, report == nil { throw ValidationError("--compare is shown in a page; add --report") }
        if report == "" { throw ValidationError("--report names no file") }
        try NamedFiles.check(compare.map { ("--compare", $0) })
        try NamedFiles.checkDiffer(("--report", report), compare.map { ("--compare", $0) })
        if report == "-", json { throw ValidationError("--json and --report - would both be the output") }
    }

    /// Refuses a body that is meant as the duration, unless another option says that it is a body.
    private func checkBody() throws {
        guard duration == nil, message.method == nil, message.allData.count == 1,
            !message.headers.contains(where: { HTTPField.Name($0.name) == .contentType }),
            let (text, seconds) = message.data.first?.duration
        else { return }
        let value = Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
        throw ValidationError(
            "-d is the body of the requests; write --duration \(value) for how long to send them, or add -X POST to send "
                + "\(text) as their body")
    }

    func run() throws {
        noteDescriptorLimit()
        var request = try message.request()
        let figures = streams == nil ? ComparedFigure.load : ComparedFigure.streams
        let earlier = try compare.flatMap { path in
            try EarlierRun.all(in: try comparedBytes(path), from: path, figures)
        }
        let page = try report.map { try OutputFile($0) }
        defer { page?.discard() }
        if let streams {
            if request.headers[.accept] == nil { request.headers[.accept] = "text/event-stream" }
            try hold(streams, request, page, earlier)
        } else {
            try send(request, page, earlier)
        }
    }

    /// Notes that the limit of open files is lower than the connections that the options ask for.
    private func noteDescriptorLimit() {
        // Some descriptors belong to the loops, and to standard input and output.
        let limit = OpenFiles.raiseLimit() - 16 - 4 * loops
        let wanted = streams ?? min(concurrency, requests ?? .max)
        guard wanted > limit else { return }
        Console.report(
            "note: the limit of open files allows about \(max(1, limit)) connections, fewer than the \(wanted) that are asked "
                + "for; raise it with ulimit -n")
    }

    private func comparedBytes(_ path: String) throws -> [UInt8] {
        do {
            return try readAll(from: path, limit: longestOwnFile)
        } catch {
            throw HTTPClientError.refusal("the file \(path) can't be read: \(error)", "name another with --compare")
        }
    }

    private func send(_ request: Request, _ page: OutputFile?, _ earlier: [EarlierRun]) throws {
        let plan = LoadPlan(
            requests: requests, duration: duration?.duration ?? (requests == nil ? Self.defaultDuration : nil),
            concurrency: concurrency, rate: rate?.value)
        let omitted = message.headers.omittedNames
        let client = try LiveClient(options, network, profile, without: omitted, concurrency: concurrency) {
            $0.loops = min(loops, concurrency)
        }
        defer { client.shutdown() }
        let date = Date()
        let target = LoadTarget(request, client: client.http) { $0.commandLineMessage }
        let run = LoadRun(plan, at: target, on: client.loops, keepsSeries: page != nil)
        let (outcome, signal) = measure(stop: run.stop, progress: run.progress, run.outcome)
        let reported = ReportedRun(
            name: name, request: request, date: date, isInterrupted: signal != nil, earlier: earlier)
        try write(
            page, LoadReport(reported, plan, outcome).html,
            json ? outcome.json(named: name) : outcome.table(width: outputWidth))
        noteLimits(of: outcome, loops: client.loops.count)
        try end(signal, outcome.failuresByFrequency, of: outcome.requests, "requests")
        if outcome.requests == 0 {
            Console.report(
                "no request got a response; allow more time with --duration SECONDS, or look at the server")
            throw ExitStatus(code: 1)
        }
    }

    /// Notes that the figures may be those of this command, not of the server.
    private func noteLimits(of outcome: LoadOutcome, loops: Int) {
        if let rate = rate?.value, let reached = outcome.missedRate(rate) {
            let count = Int(reached.rounded())
            Console.report(
                "note: \(TextFormat.count(count)) \(count == 1 ? "request per second was" : "requests per second were") sent, "
                    + "fewer than --rate asks for; the server or --concurrency \(concurrency) is the limit")
        }
        // The table has a line for them.
        if json, rate != nil, outcome.unfinished > 0 {
            let count = TextFormat.count(outcome.unfinished)
            Console.report("note: requests that were due or under way at the end, and are not counted: \(count)")
        }
        if outcome.isLimitedByCPU(loops: loops) {
            Console.report(
                "note: bench itself used \(loops == 1 ? "a whole core" : "\(loops) whole cores"), so it may be slower than the "
                    + "server; add a core with --loops \(loops + 1)")
        }
    }

    private func hold(_ streams: Int, _ request: Request, _ page: OutputFile?, _ earlier: [EarlierRun]) throws {
        let plan = StreamLoadPlan(
            streams: streams, concurrency: concurrency, duration: duration?.duration ?? Self.defaultDuration,
            timeout: options.timeout?.duration ?? .seconds(60))
        let omitted = message.headers.omittedNames
        let client = try LiveClient(options, network, profile, without: omitted, concurrency: concurrency) {
            $0.client.timeout = nil
            $0.transport.pool.maximumLongLived = streams
        }
        defer { client.shutdown() }
        let date = Date()
        let target = LoadTarget(request, client: client.http) { $0.commandLineMessage }
        let run = StreamLoadRun(plan, at: target, on: client.loop, keepsSeries: page != nil)
        let (outcome, signal) = measure(stop: run.stop, progress: run.progress, run.outcome)
        let reported = ReportedRun(
            name: name, request: request, date: date, isInterrupted: signal != nil, earlier: earlier)
        try write(
            page, StreamLoadReport(reported, plan, outcome).html, json ? outcome.json(named: name) : outcome.table)
        try end(signal, outcome.failuresByFrequency, of: streams, "streams")
    }

    /// Writes the page, if the user asked for one, and the result.
    private func write(_ page: OutputFile?, _ html: @autoclosure () -> String, _ text: String) throws {
        // The result is printed even if the page can't be written.
        let saved = Result { try page?.write(Array(html().utf8)) }
        if report != "-" { try printResult(text) }
        _ = try saved.get()
    }

    /// Reports failures, and ends the command with the right status.
    private func end(_ stopped: Stopped?, _ failures: [LoadFailure], of all: Int, _ subject: String) throws {
        if let stopped { throw stopped }
        guard let first = failures.first else { return }
        let count = failures.map(\.count).reduce(0, +)
        Console.report(
            "\(TextFormat.count(count)) of \(TextFormat.count(all)) \(subject) failed, for example: \(first.example)")
        throw ExitStatus(code: 1)
    }

    /// Waits for the outcome of a run with a progress line. A signal ends the run early.
    private func measure<Outcome>(
        stop: @escaping @Sendable () -> Void, progress: @escaping @Sendable (Int) -> String, _ outcome: () -> Outcome
    ) -> (Outcome, Stopped?) {
        let stopped = Locked<Stopped?>(nil)
        Signals.shared.handle { signal in
            stopped.withLock { $0 = Stopped(signal: signal) }
            stop()
        }
        let line = ProgressLine(progress)
        let result = outcome()
        Signals.shared.removeHandler()
        line.stop()
        return (result, stopped.withLock { $0 })
    }
}
