import Foundation
import Freshet

/// A page about a run that stands for itself: it needs no network, and no other file.
struct ReportPage {
    struct Tile {
        var name: String
        var value: String
        var note = ""
        /// `wide`, `good`, `bad`.
        var style = ""
    }

    /// Of the browser's window.
    var title: String
    var name: String
    var request: Request
    var facts: [String]
    var date: Date
    /// What it ran on.
    var machine: String
    /// Whether it was ended by hand.
    var isInterrupted: Bool
    var tiles: [Tile]
    var sections: [(title: String, content: Markup)]
    var footer: Markup

    var markup: Markup {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>\(title)</title>
        <style>
        \(ReportStyle.css)</style>
        </head>
        <body>
        <main>
        \(header)\(notice)\(tilesMarkup)\(sections.map { title, content in
            """
            <section>
            <h2>\(title)</h2>
            \(content)</section>

            """ as Markup
        })<footer><p>\(footer)</p></footer>
        </main>
        <script>
        \(ReportStyle.script)</script>
        </body>
        </html>

        """
    }

    private var header: Markup {
        """
        <header>
        <p class="over">freshet bench</p>
        <h1>\(name)</h1>
        <p class="target"><b>\(request.method.rawValue)</b> <span>\(request.url.redacted)\
        \(request.url.pathAndQuery.contains("?") ? "?…" : "")</span></p>
        <p class="facts">\((facts + [machine, time]).map { "<span>\($0)</span> " as Markup })</p>
        </header>

        """
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

    private var tilesMarkup: Markup {
        """
        <dl class="tiles">\(tiles.map { tile in
            """
            <div class="\(tile.style)"><dt>\(tile.name)</dt><dd>\(tile.value)</dd><dd class="note">\(tile.note)</dd></div>

            """ as Markup
        })</dl>

        """
    }
}

/// What failed, how often, and what it said.
struct FailureBars {
    let failuresByCount: [(kind: String, failures: LoadTally.Failures)]
    /// Of which the failures are a part.
    let all: Int

    var markup: Markup {
        let most = Double(failuresByCount.map(\.failures.count).max() ?? 1)
        return """
            <div class="bars errors">\(failuresByCount.map { kind, failures in
                """
                <div><b>\(kind)</b><span class="bar bad"><i style="width:\(Double(failures.count) / most * 100)%"></i></span>\
                <output>\(grouped(failures.count)) <small>\
                \(Quantity.percent(Double(failures.count) / Double(max(1, all))))</small></output>
                <p>\(failures.example)</p></div>

                """ as Markup
            })</div>

            """
    }
}
