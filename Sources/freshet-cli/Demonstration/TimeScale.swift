import Foundation
import FreshetLoad

/// Maps times to the columns of a terminal, from left to right.
struct TimeScale {
    /// The time of the last column.
    let end: Duration
    let width: Int

    func column(of time: Duration) -> Int {
        min(width - 1, max(0, Int(time / max(end, .nanoseconds(1)) * Double(width))))
    }

    var axis: String {
        let end = "\(TextFormat.milliseconds(end)) ms"
        return "0" + String(repeating: " ", count: max(1, width - 1 - end.count)) + end
    }
}

/// A row of characters, each in its style.
struct Cells {
    private var cells: [(character: Character, style: Style?)]

    init(_ width: Int) {
        cells = Array(repeating: (" ", nil), count: width)
    }

    /// Draws `character` in all of `columns`, both ends included.
    mutating func fill(_ columns: ClosedRange<Int>, _ character: Character, _ style: Style? = nil) {
        for column in columns { cells[column] = (character, style) }
    }

    mutating func mark(_ column: Int, _ character: Character, _ style: Style? = nil) {
        cells[column] = (character, style)
    }

    var text: String {
        var text = ""
        var start = 0
        while start < cells.count {
            let style = cells[start].style
            let end = cells[start...].firstIndex { $0.style != style } ?? cells.count
            text += Style.apply(style, String(cells[start..<end].map(\.character)))
            start = end
        }
        return text
    }
}

/// Colours and weights. They are left out unless the output is a terminal that supports them; see `NO_COLOR` and `TERM`.
enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
    case bold = "1"
    case dim = "2"

    private static let isWanted =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    static func apply(_ style: Style?, _ text: String) -> String {
        guard isWanted, let style else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}
