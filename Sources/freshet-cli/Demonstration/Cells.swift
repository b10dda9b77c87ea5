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
