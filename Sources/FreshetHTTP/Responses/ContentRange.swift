/// The range of the whole that a response holds, such as `bytes 500-999/1234`. Source: RFC 9110 section 14.4.
struct ContentRange: Hashable {
    /// `nil` if the field states only the length of the whole, as in a 416.
    var bytes: ClosedRange<Int>?
    /// The length of the whole; `nil` if it is not known.
    var total: Int?

    /// - Returns: `nil` for a unit other than bytes, and for a field that makes no sense.
    init?(_ field: String) {
        let words = field.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let total = Self.number(halves[1]) else { return nil }
            self.total = total
        }
        if halves[0] == "*" {
            if total == nil { return nil }
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            total.map({ last < $0 }) ?? true
        else { return nil }
        bytes = first...last
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }
}
