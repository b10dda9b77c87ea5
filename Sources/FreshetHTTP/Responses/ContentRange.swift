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
            guard let total = Int(digits: halves[1]) else { return nil }
            self.total = total
        }
        if halves[0] == "*" {
            if total == nil { return nil }
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(digits: ends[0]), let last = Int(digits: ends[1]), first <= last,
            total.map({ last < $0 }) ?? true
        else { return nil }
        bytes = first...last
    }
}
