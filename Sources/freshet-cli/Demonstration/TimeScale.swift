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

    var text: StyledText {
        cells.reduce(into: StyledText()) { $0.append(String($1.character), $1.style) }
    }
}
