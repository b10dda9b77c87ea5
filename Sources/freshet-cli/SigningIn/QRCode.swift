/// A QR code of a text: byte mode, error correction level L, mask 0. Source: ISO/IEC 18004.
struct QRCode {
    /// The dark modules, row by row.
    private(set) var modules: [[Bool]]
    private var isReserved: [[Bool]]
    private let version: Int

    private var size: Int { modules.count }

    /// `nil` if the text has more than about 850 bytes: the code would not fit on a terminal.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = (1...20).first(where: { QRBlocks(version: $0).dataLength >= bytes.count + 3 }) else {
            return nil
        }
        self.version = version
        let size = version * 4 + 17
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isReserved = modules
        drawPatterns()
        draw(QRBlocks(version: version).codewords(of: bytes))
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        modules[row][column] = isDark
        isReserved[row][column] = true
    }

    // MARK: Patterns

    private mutating func drawPatterns() {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
        let places = alignmentPlaces
        for row in places {
            for column in places {
                let isFinder =
                    (row, column) == (6, 6) || (row, column) == (6, size - 7) || (row, column) == (size - 7, 6)
                if !isFinder { drawSquares(row, column, radius: 2) }
            }
        }
        drawFormat()
        if version >= 7 { drawVersion() }
    }

    /// Draws a finder pattern with its light margin.
    private mutating func drawFinder(_ row: Int, _ column: Int) {
        for y in -4...4 {
            for x in -4...4 where (0..<size).contains(row + y) && (0..<size).contains(column + x) {
                let distance = max(abs(y), abs(x))
                set(row + y, column + x, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawSquares(_ row: Int, _ column: Int, radius: Int) {
        for y in -radius...radius {
            for x in -radius...radius { set(row + y, column + x, max(abs(y), abs(x)) != 1) }
        }
    }

    private var alignmentPlaces: [Int] {
        if version == 1 { return [] }
        let count = version / 7 + 2
        let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }

    /// Draws the format: level L is 01, and the mask 000.
    private mutating func drawFormat() {
        let data = 0b01000
        let bits = (data << 10 | Self.remainder(of: data << 10, by: 0x537, degree: 10)) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            // Around the first finder, past the timing patterns.
            switch index {
            case 0...5: set(index, 8, isDark)
            case 6, 7: set(index + 1, 8, isDark)
            case 8: set(8, 7, isDark)
            default: set(8, 14 - index, isDark)
            }
            if index < 8 { set(8, size - 1 - index, isDark) } else { set(size - 15 + index, 8, isDark) }
        }
        set(size - 8, 8, true)
    }

    private mutating func drawVersion() {
        let bits = version << 12 | Self.remainder(of: version << 12, by: 0x1F25, degree: 12)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(index / 3, size - 11 + index % 3, isDark)
            set(size - 11 + index % 3, index / 3, isDark)
        }
    }

    /// Returns the remainder of a polynomial over GF(2).
    private static func remainder(of value: Int, by divisor: Int, degree: Int) -> Int {
        var value = value
        for shift in stride(from: 17 - degree + 3, through: 0, by: -1) where value >> (shift + degree) & 1 == 1 {
            value ^= divisor << shift
        }
        return value
    }

    // MARK: Data

    /// Draws the codewords in pairs of columns from the right, upwards and downwards in turn.
    private mutating func draw(_ codewords: [UInt8]) {
        var index = 0
        var column = size - 1
        var isUpward = true
        while column > 0 {
            if column == 6 { column -= 1 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for x in [column, column - 1] where !isReserved[row][x] {
                    let isSet = index < codewords.count * 8 && codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    modules[row][x] = isSet != ((row + x) % 2 == 0)
                    index += 1
                }
            }
            isUpward.toggle()
            column -= 2
        }
    }

    // MARK: Text

    /// The number of light modules around the code.
    private static let margin = 2

    /// The length of a line of ``text`` in columns.
    var width: Int { size + 2 * Self.margin }

    /// The code as text, two rows per line. It sets its own colours, because a dark terminal would invert the code.
    var text: String {
        let margin = Self.margin
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<size).contains(row) && (0..<size).contains(column) && modules[row][column]
        }
        var text = ""
        for row in stride(from: -margin, to: size + margin, by: 2) {
            text += "\u{1B}[30;107m"
            for column in -margin..<size + margin {
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }
}
