import Foundation
import Freshet

/// The page about streams that were held open.
struct StreamsReport {
    var name: String
    var request: Request
    var plan: StreamHold.Plan
    var outcome: StreamsOutcome
    var isInterrupted = false
    var date: Date
    var earlier: [EarlierRun] = []
    var machine = ReportPage.thisMachine

    var html: String {
        ReportPage(
            title: "\(name): \(Quantity.short(Double(outcome.open))) open streams", name: name, request: request,
            facts: [
                "\(grouped(plan.concurrency)) opened at a time",
                "held for \(Quantity.seconds(plan.duration / .seconds(1)))",
                "\(Quantity.seconds(outcome.seconds)) in all",
            ],
            date: date, machine: machine, isInterrupted: isInterrupted, tiles: tiles,
            sections: [
                ("Over time", StreamPlots(outcome: outcome, samples: outcome.series?.samples ?? []).markup),
                ("Time to open", opening), ("Errors", errors),
                (
                    "Beside other runs",
                    Comparison(name: name, own: outcome.compared, earlier: earlier, figures: ComparedFigure.streams)
                        .markup
                ),
            ],
            footer: """
                The time to open is that from the moment at which a stream was begun to the head of its answer. Memory a \
                stream is what the resident set grew by, divided by the streams that were opened. CPU time is that of the \
                whole client process, drawing these samples included.
                """
        ).markup.html
    }

    private var tiles: [ReportPage.Tile] {
        let holding = max(outcome.seconds - outcome.openSeconds, 1e-6)
        return [
            .init(
                name: "Streams", value: grouped(outcome.open), note: "opened, of \(grouped(outcome.asked))",
                style: outcome.open == outcome.asked ? "wide" : "wide bad"),
            .init(
                name: "Opened in", value: Quantity.seconds(outcome.openSeconds),
                note: "\(Quantity.short(Double(outcome.open) / max(outcome.openSeconds, 1e-6))) a second"),
            .init(
                name: "Memory a stream", value: outcome.residentPerStream.map { Quantity.bytes(Int($0)) } ?? "–",
                note: outcome.open == 0 ? "no streams" : "while they were held"),
            .init(
                name: "Errors", value: outcome.failures == 0 ? "none" : grouped(outcome.failures),
                note: outcome.failures == 0
                    ? ""
                    : "\(Quantity.percent(Double(outcome.failures) / Double(max(1, outcome.asked)))) of the streams",
                style: outcome.failures == 0 ? "good" : "bad"),
            .init(
                name: "CPU to open", value: Quantity.seconds(outcome.openingCPU),
                note: "\(Quantity.latency(outcome.openingCPU * 1e6 / Double(max(1, outcome.asked)))) a stream"),
            .init(
                name: "CPU to hold", value: Quantity.seconds(outcome.holdingCPU),
                note: "\(Quantity.percent(outcome.holdingCPU / holding)) of a core"),
            .init(name: "Memory", value: Quantity.bytes(outcome.peakResident * 1024), note: "at most"),
        ]
    }

    private var opening: Markup {
        guard !outcome.latency.isEmpty else {
            return """
                <p class="empty">No stream was opened.</p>

                """
        }
        return LatencyPlots(histogram: outcome.latency, ofWhat: "streams").markup
    }

    private var errors: Markup {
        guard outcome.failures > 0 else {
            return """
                <p class="empty">\(outcome.open == 0
                    ? "No stream came to be opened."
                    : "None: all \(grouped(outcome.open)) streams were opened, and stayed so.")</p>

                """
        }
        return FailureBars(failuresByCount: outcome.failuresByCount, all: outcome.asked).markup
    }
}
