/// The page about a run that held streams open.
public struct StreamLoadReport {
    private let run: ReportedRun
    private let plan: StreamLoadPlan
    private let outcome: StreamLoadOutcome

    public init(_ run: ReportedRun, _ plan: StreamLoadPlan, _ outcome: StreamLoadOutcome) {
        self.run = run
        self.plan = plan
        self.outcome = outcome
    }

    public var html: String {
        ReportPage(
            run: run, title: "\(TextFormat.short(Double(outcome.openAtEnd))) open streams",
            facts: [
                "\(TextFormat.count(plan.concurrency)) opened at a time",
                "held for \(TextFormat.seconds(plan.duration / .seconds(1)))",
                "\(TextFormat.seconds(outcome.seconds)) in all",
            ],
            tiles: tiles,
            overTime: StreamTimePlots(outcome: outcome, samples: outcome.series?.samples ?? []).markup,
            latencyTitle: "Time to open", latency: opening, errors: errors,
            comparison: Comparison(run, values: outcome.compared, figures: ComparedFigure.streams),
            footer: """
                The time to open is that from the moment at which a stream was begun to the head of its response. Memory \
                a stream is the growth of the resident set, divided by the streams that were open at the end. CPU time is \
                that of the whole client process, including that of drawing these samples.
                """
        ).markup.text
    }

    private var tiles: [ReportPage.Tile] {
        let holding = max(outcome.seconds - outcome.openSeconds, 1e-6)
        let failures = outcome.failures.count
        let left = TextFormat.count(outcome.openAtEnd)
        let failed = Double(failures) / Double(max(1, outcome.asked))
        return [
            .init(
                name: "Streams", value: TextFormat.count(outcome.open),
                note: "opened, of \(TextFormat.count(outcome.asked)); \(left) open at the end",
                style: outcome.open == outcome.asked ? "wide" : "wide bad"),
            .init(
                name: "Opened in", value: TextFormat.seconds(outcome.openSeconds),
                note: "\(TextFormat.short(Double(outcome.open) / max(outcome.openSeconds, 1e-6))) a second"),
            .init(
                name: "Memory a stream", value: outcome.residentPerStream.map { TextFormat.bytes($0) } ?? "–",
                note: outcome.openAtEnd == 0 ? "no streams at the end" : "open at the end"),
            .errors(
                failures, value: TextFormat.count(failures), note: "\(TextFormat.percent(failed)) of the streams"),
            .init(
                name: "CPU to open", value: TextFormat.seconds(outcome.openingCPU),
                note: "\(TextFormat.latency(outcome.openingCPU * 1e6 / Double(max(1, outcome.asked)))) a stream"),
            .init(
                name: "CPU to hold", value: TextFormat.seconds(outcome.holdingCPU),
                note: "\(TextFormat.percent(outcome.holdingCPU / holding)) of a core"),
            .memory(outcome.peakResident),
        ]
    }

    private var opening: HTML {
        guard !outcome.latency.isEmpty else { return .notice("No stream was opened.") }
        return LatencyPlots(histogram: outcome.latency, subject: "streams").markup
    }

    private var errors: HTML {
        guard outcome.failures.count > 0 else {
            return .notice(
                outcome.open == 0
                    ? "No stream was opened."
                    : "None: all \(TextFormat.count(outcome.open)) streams were opened, and stayed open.")
        }
        return FailureBars(failures: outcome.failures, all: outcome.asked).markup
    }
}
