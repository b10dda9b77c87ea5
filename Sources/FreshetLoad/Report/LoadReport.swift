/// The page about a run that sent requests.
public struct LoadReport {
    private let run: ReportedRun
    private let plan: LoadPlan
    private let outcome: LoadOutcome

    public init(_ run: ReportedRun, _ plan: LoadPlan, _ outcome: LoadOutcome) {
        self.run = run
        self.plan = plan
        self.outcome = outcome
    }

    private var tally: LoadTally { outcome.tally }

    public var html: String {
        ReportPage(
            run: run, title: "\(TextFormat.short(outcome.requestsPerSecond)) requests a second", facts: facts,
            tiles: tiles, overTime: LoadTimePlots(outcome: outcome).markup, latencyTitle: "Latency",
            latency: latencies, errors: errors,
            comparison: Comparison(run, values: outcome.compared, figures: ComparedFigure.load), footer: footer
        ).markup.text
    }

    private var facts: [String] {
        let load =
            plan.rate.map { "open loop, \(TextFormat.short($0)) requests a second" }
            ?? "closed loop, \(TextFormat.count(plan.concurrency)) at a time"
        let connections =
            tally.connections == 0
            ? ["no connection"]
            : [
                tally.isHTTP2 ? "HTTP/2 over TLS" : "HTTP/1.1",
                "\(TextFormat.count(tally.connections)) connection\(tally.connections == 1 ? "" : "s")",
            ]
        return [load, TextFormat.seconds(outcome.seconds)] + connections
    }

    private var tiles: [ReportPage.Tile] {
        let hasLatency = !tally.latency.isEmpty
        let failed = Double(tally.failures.count) / Double(max(1, tally.requests))
        return [
            .init(
                name: "Throughput", value: TextFormat.short(outcome.requestsPerSecond),
                note: "requests a second, \(TextFormat.count(tally.requests)) in all\(rateWithoutFailures)",
                style: tally.responses > 0 ? "wide" : "wide bad"),
            .init(
                name: "Median latency", value: latency(0.5),
                note: hasLatency ? "half of all responses are faster" : "no responses"),
            .init(
                name: "p99 latency", value: latency(0.99),
                note: hasLatency ? "one in a hundred is slower" : "no responses"),
            .errors(
                tally.failures.count, value: TextFormat.percent(failed),
                note: "\(TextFormat.count(tally.failures.count)) requests"),
            .init(
                name: "CPU", value: outcome.cpuPerRequest.map { TextFormat.latency($0) } ?? "–",
                note: "a request, \(TextFormat.percent(outcome.cpu / outcome.seconds)) of a core"),
            .memory(outcome.peakResident),
            .init(
                name: "Received", value: TextFormat.bytes(tally.bytes),
                note: "\(TextFormat.bytes(Double(tally.bytes) / outcome.seconds)) a second"),
        ]
    }

    /// The rate of the requests that did not fail, because a failure may be faster than a response.
    private var rateWithoutFailures: String {
        guard tally.failures.count > 0 else { return "" }
        return "; \(TextFormat.short(Double(tally.responses) / outcome.seconds)) a second without an error"
    }

    private func latency(_ fraction: Double) -> String {
        outcome.latency(fraction).map { TextFormat.latency($0) } ?? "–"
    }

    private var latencies: HTML {
        guard !tally.latency.isEmpty else {
            return .notice("No request got a response, so there is no latency to show.")
        }
        return LatencyPlots(histogram: tally.latency, subject: "responses").markup
    }

    private var errors: HTML {
        guard tally.failures.count > 0 else {
            return .notice(
                tally.requests == 0
                    ? "No request came to an end."
                    : "None: all \(TextFormat.count(tally.requests)) requests got a response with a status below 400.")
        }
        return FailureBars(failures: tally.failures, all: tally.requests).markup
    }

    private var footer: HTML {
        let unfinished =
            outcome.unfinished == 0
            ? ""
            : " \(TextFormat.count(outcome.unfinished)) requests that were due or under way at the end are not counted."
        let start =
            plan.rate == nil
            ? "the time at which a request was handed to the client"
            : "the time at which a request was to begin on schedule, whether it could or not"
        return """
            Latency is that of requests that got a response, with whatever status, from \(start) to the end of \
            the response; figures are right to 0.8 %. CPU time and memory are those of the whole client process.\
            \(unfinished)
            """
    }
}
