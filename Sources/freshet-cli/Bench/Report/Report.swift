import Foundation
import Freshet

/// The page about requests that were sent.
struct Report {
    var name: String
    var request: Request
    var plan: LoadPlan
    var outcome: LoadOutcome
    var isInterrupted = false
    var date: Date
    var earlier: [EarlierRun] = []
    var machine = ReportPage.thisMachine

    private var tally: LoadTally { outcome.tally }

    var html: String {
        ReportPage(
            title: "\(name): \(Quantity.short(outcome.requestsPerSecond)) requests a second", name: name,
            request: request, facts: facts, date: date, machine: machine, isInterrupted: isInterrupted, tiles: tiles,
            sections: [
                ("Over time", TimePlots(outcome: outcome).markup), ("Latency", latencies), ("Errors", errors),
                (
                    "Beside other runs",
                    Comparison(name: name, own: outcome.compared, earlier: earlier, figures: ComparedFigure.load).markup
                ),
            ], footer: footer
        ).markup.html
    }

    private var facts: [String] {
        let load =
            plan.rate.map { "open loop, \(Quantity.short($0)) requests a second" }
            ?? "closed loop, \(grouped(plan.concurrency)) at a time"
        let connections =
            tally.connections == 0
            ? ["no connection"]
            : [
                tally.isHTTP2 ? "HTTP/2 over TLS" : "HTTP/1.1",
                "\(grouped(tally.connections)) connection\(tally.connections == 1 ? "" : "s")",
            ]
        return [load, Quantity.seconds(outcome.seconds)] + connections
    }

    private var tiles: [ReportPage.Tile] {
        let failed = tally.requests == 0 ? 0 : Double(tally.failures) / Double(tally.requests)
        return [
            .init(
                name: "Throughput", value: Quantity.short(outcome.requestsPerSecond),
                note: "requests a second, \(grouped(tally.requests)) in all\(withoutFailures)",
                style: tally.answers > 0 ? "wide" : "wide bad"),
            .init(
                name: "Median latency", value: latency(0.5),
                note: tally.latency.isEmpty ? "no answers" : "half of all answers are faster"),
            .init(
                name: "p99 latency", value: latency(0.99),
                note: tally.latency.isEmpty ? "no answers" : "one in a hundred is slower"),
            .init(
                name: "Errors", value: tally.failures == 0 ? "none" : Quantity.percent(failed),
                note: tally.failures == 0 ? "" : "\(grouped(tally.failures)) requests",
                style: tally.failures == 0 ? "good" : "bad"),
            .init(
                name: "CPU", value: outcome.cpuPerRequest.map { Quantity.latency($0) } ?? "–",
                note: "a request, \(Quantity.percent(outcome.cpu / outcome.seconds)) of a core"),
            .init(name: "Memory", value: Quantity.bytes(outcome.peakResident * 1024), note: "at most"),
            .init(
                name: "Received", value: Quantity.bytes(tally.bytes),
                note: "\(Quantity.bytes(Int(Double(tally.bytes) / outcome.seconds))) a second"),
        ]
    }

    /// What the rate would be of those alone that did not fail, for a failure may be sooner than an answer.
    private var withoutFailures: String {
        guard tally.failures > 0 else { return "" }
        return "; \(Quantity.short(Double(tally.answers) / outcome.seconds)) a second without an error"
    }

    private func latency(_ fraction: Double) -> String {
        outcome.latency(fraction).map { Quantity.latency($0) } ?? "–"
    }

    private var latencies: Markup {
        guard !tally.latency.isEmpty else {
            return """
                <p class="empty">No request was answered, so there is no latency to show.</p>

                """
        }
        return LatencyPlots(histogram: tally.latency, ofWhat: "answers").markup
    }

    private var errors: Markup {
        guard tally.failures > 0 else {
            return """
                <p class="empty">\(tally.requests == 0
                    ? "No request came to an end."
                    : "None: all \(grouped(tally.requests)) requests were answered with a status below 400.")</p>

                """
        }
        return FailureBars(failuresByCount: tally.failuresByCount, all: tally.requests).markup
    }

    private var footer: Markup {
        let unfinished =
            outcome.unfinished == 0
            ? "" : " \(grouped(outcome.unfinished)) requests that were under way at the end are not counted."
        let start =
            plan.rate == nil
            ? "the time at which a request was handed to the client"
            : "the time at which a request was to begin on schedule, whether it could or not"
        return """
            Latency is that of requests that were answered, with whatever status, from \(start) to the end of \
            the answer; figures are right to 0.8 %. CPU time and memory are those of the whole client process.\
            \(unfinished)
            """
    }
}
