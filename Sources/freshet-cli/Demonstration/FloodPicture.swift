import Foundation
import Freshet

/// The flood on a time line, in characters: a row for each thing that happens to requests, as high as it is frequent.
struct FloodPicture {
    let log: FloodLog
    var width = 64

    private static let heights = Array(" ▁▂▃▄▅▆▇█")

    var text: String {
        var lines = [
            row("sent", log.times(of: .sent)),
            row("refused", log.times(of: .refused), style: .red),
            waitingRow,
            marks("refresh", log.refreshes.map { $0.at - $0.event.duration }),
            row("replayed", log.times(of: .replayed), style: .yellow),
            row("answered", log.times(of: .answered), style: .green),
        ]
        lines.append(pad("") + "0" + pad("\(milliseconds(log.end)) ms", to: width - 1, left: true))
        return lines.joined(separator: "\n") + "\n"
    }

    private func column(of time: Duration) -> Int {
        let end = max(log.end, .nanoseconds(1))
        return min(width - 1, max(0, Int(time / end * Double(width))))
    }

    private func row(_ name: String, _ times: [Duration], style: Style? = nil) -> String {
        var counts = [Int](repeating: 0, count: width)
        for time in times { counts[column(of: time)] += 1 }
        return pad(name) + Style.apply(style, plot(counts)) + pad(grouped(times.count), to: 8, left: true)
    }

    /// How many had asked for a token, or been refused, and were not yet sent; at most, in each column.
    private var waitingRow: String {
        let changes =
            [FloodLog.Happening.asked, .refused].flatMap { log.times(of: $0).map { ($0, 1) } }
            + [.sent, .replayed].flatMap { log.times(of: $0).map { ($0, -1) } }
        var highest = [Int](repeating: 0, count: width)
        var waiting = 0
        var last = 0
        for (time, change) in changes.sorted(by: { $0.0 < $1.0 }) {
            for column in last...column(of: time) { highest[column] = max(highest[column], waiting) }
            last = column(of: time)
            waiting += change
            highest[last] = max(highest[last], waiting)
        }
        return pad("waiting") + plot(highest) + pad(grouped(highest.max() ?? 0), to: 8, left: true)
    }

    private func marks(_ name: String, _ times: [Duration]) -> String {
        var cells = [Character](repeating: " ", count: width)
        for time in times { cells[column(of: time)] = "↻" }
        return pad(name) + Style.apply(.bold, String(cells)) + pad(grouped(times.count), to: 8, left: true)
    }

    private func plot(_ counts: [Int]) -> String {
        let highest = max(1, counts.max() ?? 1)
        return String(
            counts.map { count in
                // The least there is can still be seen.
                count <= 0 ? " " : Self.heights[max(1, Int((Double(count) / Double(highest) * 8).rounded()))]
            })
    }

    private func pad(_ text: String, to length: Int = 10, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, length - text.count))
        return left ? space + text : text + space
    }
}

/// Colours, where the output is a terminal that wants them.
enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case bold = "1"

    private static let isWanted =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    static func apply(_ style: Style?, _ text: String) -> String {
        guard isWanted, let style else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}

/// A number with its thousands apart: 12,345.
func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    var place = digits.count - 3
    while place > 0 {
        digits.insert(",", at: place)
        place -= 3
    }
    return String(digits)
}

/// Milliseconds with as many decimals as mean something.
func milliseconds(_ duration: Duration) -> String {
    let value = duration / .milliseconds(1)
    return String(format: value < 10 ? "%.1f" : "%.0f", value)
}
