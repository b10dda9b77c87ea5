import Foundation
import Freshet

/// The page about a run. It is one file, and needs no network.
struct ReportPage {
    struct Tile {
        var name: String
        var value: String
        var note = ""
        /// The CSS classes: `wide`, `good`, `bad`.
        var style = ""

        /// - Parameters:
        ///   - value: shown if there are errors.
        ///   - note: shown if there are errors.
        static func errors(_ count: Int, value: String, note: String) -> Tile {
            count == 0
                ? Tile(name: "Errors", value: "none", style: "good")
                : Tile(name: "Errors", value: value, note: note, style: "bad")
        }

        static func memory(_ kilobytes: Int) -> Tile {
            Tile(name: "Memory", value: TextFormat.bytes(kilobytes * 1024), note: "at most")
        }
    }

    var run: ReportedRun
    /// The main result, for the title of the window.
    var title: String
    var facts: [String]
    var tiles: [Tile]
    var overTime: HTML
    var latencyTitle: String
    var latency: HTML
    var errors: HTML
    var comparison: Comparison
    var footer: HTML

    var markup: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>\(run.name): \(title)</title>
        <style>
        \(ReportStyle.css)</style>
        </head>
        <body>
        <main>
        \(header)\(interruption)\(tilesMarkup)\(sections.map { title, content in
            """
            <section>
            <h2>\(title)</h2>
            \(content)</section>

            """ as HTML
        })<footer><p>\(footer)</p></footer>
        </main>
        <script>
        \(ReportStyle.script)</script>
        </body>
        </html>

        """
    }

    private var sections: [(title: String, content: HTML)] {
        [
            ("Over time", overTime), (latencyTitle, latency), ("Errors", errors),
            ("Beside other runs", comparison.markup),
        ]
    }

    private var header: HTML {
        """
        <header>
        <p class="over">freshet bench</p>
        <h1>\(run.name)</h1>
        <p class="target"><b>\(run.request.method.rawValue)</b> <span>\(run.request.url.redacted)\
        \(run.request.url.pathAndQuery.contains("?") ? "?…" : "")</span></p>
        <p class="facts">\((facts + [run.machine, time]).map { "<span>\($0)</span> " as HTML })</p>
        </header>

        """
    }

    private var time: String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "d MMMM yyyy, HH:mm 'UTC'"
        return format.string(from: run.date)
    }

    private var interruption: HTML {
        guard run.isInterrupted else { return "" }
        return """
            <p class="notice">It was stopped by hand: the page shows the run up to then.</p>

            """
    }

    private var tilesMarkup: HTML {
        """
        <dl class="tiles">\(tiles.map { tile in
            """
            <div class="\(tile.style)"><dt>\(tile.name)</dt><dd>\(tile.value)</dd><dd class="note">\(tile.note)</dd></div>

            """ as HTML
        })</dl>

        """
    }
}
