import Foundation
import Freshet
import FreshetLoad

/// Draws the demonstration on a time line, in characters. The first rows show the token and the event stream. The next ones
/// show some single requests. The last ones show all requests together: one row for each kind of event, with a bar for the
/// number of events.
struct FloodPicture {
    private let log: FloodLog
    private let scale: TimeScale
    private let columns: Int

    private static let names = 14
    private static let numbers = 11
    private static let heights = Array(" ▁▂▃▄▅▆▇█")

    init(_ log: FloodLog, columns: Int = Self.columns) {
        self.log = log
        self.columns = columns
        scale = TimeScale(end: log.end, width: max(15, columns - Self.names - Self.numbers))
    }

    private static var columns: Int { min(120, max(40, outputWidth)) }

    var lines: [StyledText] {
        let tracks = RequestTrack.sample(9, of: log)
        var lines = [
            line("token", tokens, "\(log.refreshes.count) refreshed"), line("event stream", stream, streamed),
            StyledText(),
        ]
        lines += tracks.map { track in
            line("/items/\(track.number)", track.row(scale), track.replays == 0 ? "" : "\(track.replays) replayed")
        }
        lines += [line("", StyledText(scale.axis))] + legend + streamLegend + [StyledText()]
        lines += [
            plot("sent", log.times(of: .sent)), plot("refused", log.times(of: .refused), .red),
            waiting, plot("replayed", log.times(of: .replayed)), plot("answered", log.times(of: .answered), .green),
        ]
        return lines.map(\.trimmed)
    }

    private var legend: [StyledText] {
        rows([
            ("·", .dim, "queued"), ("━", nil, "sent"), ("✗", .red, "refused"), ("░", .yellow, "waits for the token"),
            ("↻", .bold, "refreshes it"), ("✓", .green, "answered"),
        ])
    }

    private var streamLegend: [StyledText] {
        rows(
            [("≈", .cyan, "event"), ("✗", .red, "ends with its token"), ("░", .yellow, "reconnects")],
            after: "event stream: ")
    }

    /// A legend, in as many rows as it needs.
    private func rows(_ marks: [(String, Style?, String)], after heading: String = "") -> [StyledText] {
        var (rows, width) = ([[(String, Style?, String)]()], heading.count)
        for mark in marks {
            // A mark, a space, the text and two spaces, which the last one does not need.
            let size = mark.2.count + 4
            if width + size > columns + 2 { (rows, width) = (rows + [[]], 0) }
            rows[rows.count - 1].append(mark)
            width += size
        }
        return rows.enumerated().map { StyledText($0 == 0 ? heading : "") + Self.legend($1) }
    }

    private static func legend(_ parts: [(String, Style?, String)]) -> StyledText {
        parts.map { StyledText($0, $1) + StyledText(" \($2)  ") }.reduce(StyledText(), +).trimmed
    }

    private func line(_ name: String, _ cells: StyledText, _ number: String = "") -> StyledText {
        StyledText(TextFormat.padded(name, to: Self.names)) + cells
            + StyledText(TextFormat.rightAligned(number, in: Self.numbers))
    }

    /// The row of the tokens. Each token has its number at the column where it begins.
    private var tokens: StyledText {
        var cells = Cells(scale.width)
        cells.fill(0...(scale.width - 1), "─")
        cells.mark(0, "1", .bold)
        for (index, refresh) in log.refreshes.enumerated() {
            let column = scale.column(of: refresh.at)
            cells.fill(min(scale.column(of: refresh.start), column)...column, "↻", .bold)
            cells.mark(column, Character(String((index + 2) % 10)), .bold)
        }
        return cells.text
    }

    private var stream: StyledText {
        var cells = Cells(scale.width)
        var opened: Int?
        var ended: Int?
        var ends: [Int] = []
        for (at, what) in log.streamed {
            let column = scale.column(of: at)
            switch what {
            case .opened:
                if let ended { cells.fill(ended...column, "░", .yellow) }
                opened = column
            case .event: if let opened { cells.fill(min(opened, column)...column, "≈", .cyan) }
            case .ended:
                (opened, ended) = (nil, column)
                ends.append(column)
            }
        }
        for end in ends { cells.mark(end, "✗", .red) }
        return cells.text
    }

    private var streamed: String { "\(TextFormat.count(log.streamed.count { $0.what == .event })) events" }

    private func plot(_ name: String, _ times: [Duration], _ style: Style? = nil) -> StyledText {
        var counts = [Int](repeating: 0, count: scale.width)
        for time in times { counts[scale.column(of: time)] += 1 }
        return line(name, StyledText(heights(counts), style), TextFormat.count(times.count))
    }

    /// The row of the waiting requests: how many had asked for a token or been refused, and were not sent yet; the maximum of
    /// each column.
    private var waiting: StyledText {
        let changes =
            [FloodLog.Happening.asked, .refused].flatMap { log.times(of: $0).map { ($0, 1) } }
            + [.sent, .replayed].flatMap { log.times(of: $0).map { ($0, -1) } }
        var highest = [Int](repeating: 0, count: scale.width)
        var waiting = 0
        var last = 0
        for (time, change) in changes.sorted(by: { $0.0 < $1.0 }) {
            for column in last...scale.column(of: time) { highest[column] = max(highest[column], waiting) }
            last = scale.column(of: time)
            waiting += change
            highest[last] = max(highest[last], waiting)
        }
        return line(
            "waiting", StyledText(heights(highest), .yellow), "\(TextFormat.count(highest.max() ?? 0)) at most")
    }

    private func heights(_ counts: [Int]) -> String {
        let highest = max(1, counts.max() ?? 1)
        return String(
            counts.map { count in
                // The smallest number still has a visible bar.
                count <= 0 ? " " : Self.heights[max(1, Int((Double(count) / Double(highest) * 8).rounded()))]
            })
    }
}
