import Foundation
import Freshet

/// A page about a run that stands for itself: it needs no network, and no other file.
struct Report {
    var name: String
    var request: Request
    var plan: LoadPlan
    var outcome: LoadOutcome
    /// Whether it was ended by hand.
    var isInterrupted = false
    var date: Date
    var earlier: [EarlierRun] = []
    /// What it ran on.
    var machine = Self.thisMachine

    private var tally: LoadTally { outcome.tally }

    var html: String { page.html }

    private var page: Markup {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>\(name): \(Quantity.short(outcome.requestsPerSecond)) requests a second</title>
        <style>
        \(ReportStyle.css)</style>
        </head>
        <body>
        <main>
        \(header)\(notice)\(tiles)\(sections)\(footer)</main>
        <script>
        \(ReportStyle.script)</script>
        </body>
        </html>

        """
    }

    // MARK: The top

    private var header: Markup {
        """
        <header>
        <p class="over">freshet bench</p>
        <h1>\(name)</h1>
        <p class="target"><b>\(request.method.rawValue)</b> <span>\(request.url.redacted)\
        \(request.url.pathAndQuery.contains("?") ? "?…" : "")</span></p>
        <p class="facts">\(facts.map { "<span>\($0)</span> " as Markup })</p>
        </header>

        """
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
        return [load, Quantity.seconds(outcome.seconds)] + connections + [machine, time]
    }

    private var time: String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "d MMMM yyyy, HH:mm 'UTC'"
        return format.string(from: date)
    }

    static var thisMachine: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(cores) core\(cores == 1 ? "" : "s")"
    }

    private var notice: Markup {
        guard isInterrupted else { return "" }
        return """
            <p class="notice">It was stopped by hand: what is shown is what was done until then.</p>

            """
    }

    private var tiles: Markup {
        let failed = tally.requests == 0 ? 0 : Double(tally.failures) / Double(tally.requests)
        let tiles: [(name: String, value: String, note: String, style: String)] = [
            (
                "Throughput", Quantity.short(outcome.requestsPerSecond),
                "requests a second, \(grouped(tally.requests)) in all", tally.answers > 0 ? "wide" : "wide bad"
            ),
            (
                "Median latency", latency(0.5), tally.latency.isEmpty ? "no answers" : "half of all answers are faster",
                ""
            ),
            ("p99 latency", latency(0.99), tally.latency.isEmpty ? "no answers" : "one in a hundred is slower", ""),
            (
                "Errors", tally.failures == 0 ? "none" : Quantity.percent(failed),
                tally.failures == 0 ? "" : "\(grouped(tally.failures)) requests", tally.failures == 0 ? "good" : "bad"
            ),
            (
                "CPU", outcome.cpuPerRequest.map { Quantity.latency($0) } ?? "–",
                "a request, \(Quantity.percent(outcome.cpu / outcome.seconds)) of a core", ""
            ),
            ("Memory", Quantity.bytes(outcome.peakResident * 1024), "at most", ""),
            (
                "Received", Quantity.bytes(tally.bytes),
                "\(Quantity.bytes(Int(Double(tally.bytes) / outcome.seconds))) a second", ""
            ),
        ]
        return """
            <dl class="tiles">\(tiles.map { tile in
                """
                <div class="\(tile.style)"><dt>\(tile.name)</dt><dd>\(tile.value)</dd><dd class="note">\(tile.note)</dd></div>

                """ as Markup
            })</dl>

            """
    }

    private func latency(_ fraction: Double) -> String {
        outcome.latency(fraction).map { Quantity.latency($0) } ?? "–"
    }

    // MARK: The rest

    private var sections: Markup {
        """
        <section>
        <h2>Over time</h2>
        \(TimePlots(outcome: outcome).markup)</section>
        <section>
        <h2>Latency</h2>
        \(LatencyPlots(tally: tally).markup)</section>
        <section>
        <h2>Errors</h2>
        \(errors)</section>
        <section>
        <h2>Beside other runs</h2>
        \(Comparison(name: name, outcome: outcome, earlier: earlier).markup)</section>

        """
    }

    private var errors: Markup {
        guard tally.failures > 0 else {
            return """
                <p class="empty">\(tally.requests == 0
                    ? "No request came to an end."
                    : "None: all \(grouped(tally.requests)) requests were answered with a status below 400.")</p>

                """
        }
        let most = Double(tally.failuresByCount.map(\.failures.count).max() ?? 1)
        return """
            <div class="bars errors">\(tally.failuresByCount.map { kind, failures in
                """
                <div><b>\(kind)</b><span class="bar bad"><i style="width:\(Double(failures.count) / most * 100)%"></i></span>\
                <output>\(grouped(failures.count)) <small>\
                \(Quantity.percent(Double(failures.count) / Double(max(1, tally.requests))))</small></output>
                <p>\(failures.example)</p></div>

                """ as Markup
            })</div>

            """
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
            <footer><p>Latency is that of requests that were answered, with whatever status, from \(start) to the end of \
            the answer; figures are right to 0.8 %. CPU time and memory are those of the whole client process.\
            \(unfinished)</p></footer>

            """
    }
}
