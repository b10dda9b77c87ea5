/// The secrets that were found so far, and the search for them, which takes time linear in the text.
struct KnownSecrets: Sendable {
    /// Shorter values are not masked elsewhere, because they occur in other places by chance. The search begins with as many bytes
    /// as a word has.
    static let shortestValue = 8

    private var values: Set<ArraySlice<UInt8>> = []
    /// The lengths of the values by their first bytes, the longest first.
    private var lengths: [UInt64: [Int]] = [:]

    mutating func insert(_ text: some StringProtocol) {
        let value = Array(text.utf8)[...]
        guard value.count >= Self.shortestValue, values.insert(value).inserted else { return }
        let beginning = value.prefix(Self.shortestValue).reduce(0) { $0 << 8 | UInt64($1) }
        var known = lengths[beginning] ?? []
        guard !known.contains(value.count) else { return }
        known.insert(value.count, at: known.firstIndex { $0 < value.count } ?? known.count)
        lengths[beginning] = known
    }

    /// Returns `text` with every value replaced by `mask`; of values with the same beginning, the longest counts.
    ///
    /// - Parameter keepsURLs: whether a value that is a part of a URL stays.
    func masked(_ text: String, by mask: String, keepsURLs: Bool = false) -> String {
        guard !values.isEmpty, text.utf8.count >= Self.shortestValue else { return text }
        let bytes = Array(text.utf8)
        var (result, copied, end, word) = ([UInt8](), 0, 0, UInt64(0))
        while end < bytes.count {
            word = word << 8 | UInt64(bytes[end])
            end += 1
            let start = end - Self.shortestValue
            guard start >= copied, let lengths = lengths[word],
                let length = lengths.first(where: {
                    start + $0 <= bytes.count && values.contains(bytes[start..<start + $0])
                })
            else { continue }
            if keepsURLs, Self.isInURL(start..<start + length, of: bytes) { continue }
            result += bytes[copied..<start]
            result += mask.utf8
            copied = start + length
            end = copied
        }
        guard copied > 0 else { return text }
        return String(decoding: result + bytes[copied...], as: UTF8.self)
    }

    /// Whether a value stands in a path or a query.
    private static func isInURL(_ value: Range<Int>, of bytes: [UInt8]) -> Bool {
        if value.lowerBound > 0, case let byte = bytes[value.lowerBound - 1] {
            let isLetterOrDigit = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            if isLetterOrDigit || "/?=&;#%-_.~".utf8.contains(byte) { return true }
        }
        return value.upperBound < bytes.count && "/?".utf8.contains(bytes[value.upperBound])
    }
}
