extension TextFormat {
    /// Returns a bar that is `width` columns wide and filled up to `fraction`. The fraction of nothing (NaN) is an empty bar.
    public static func bar(_ fraction: Double, width: Int = 30) -> String {
        let filled = fraction > 0 ? Int((min(fraction, 1) * Double(width)).rounded()) : 0
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }

    /// Returns a line of at most `width` columns: a bar, which is at least 8 columns wide, and those of the first `facts` for
    /// which there is room.
    public static func progress(_ fraction: Double?, _ facts: [String], in width: Int) -> String {
        let room = fraction == nil ? width : width - 9
        var text = facts[0]
        for fact in facts.dropFirst() {
            guard text.count + fact.count + 2 <= room else { break }
            text += ", \(fact)"
        }
        guard let fraction else { return text }
        return "\(bar(fraction, width: max(8, min(30, width - text.count - 1)))) \(text)"
    }

    /// Adds spaces after `text` until it is `width` columns wide.
    public static func padded(_ text: String, to width: Int) -> String {
        text + spaces(width - text.count)
    }

    /// Adds spaces before `text` until it is `width` columns wide.
    public static func rightAligned(_ text: String, in width: Int) -> String {
        spaces(width - text.count) + text
    }

    /// Removes the spaces at the end of `line`.
    public static func trimmed(_ line: String) -> String {
        String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }

    private static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}
