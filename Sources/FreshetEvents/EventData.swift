/// The data buffer of an event: a text at once if it has one line, as most do, and bytes otherwise.
struct EventData: Sendable {
    private var single: String?
    private var lines: [UInt8] = []
    private var count = 0

    /// Appends a line.
    ///
    /// - Returns: how many bytes there are now.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>) -> Int {
        if count == 0 {
            single = String(decoding: line, as: UTF8.self)
            count = line.count + 1
            return line.count
        }
        if let first = single {
            lines.append(contentsOf: first.utf8)
            single = nil
        }
        lines.append(.lineFeed)
        lines.append(contentsOf: line)
        count += line.count + 1
        return count - 1
    }

    /// All of it without the last line feed, or `nil` if there was no line; then it is empty.
    mutating func take() -> String? {
        guard count > 0 else { return nil }
        count = 0
        if let text = single {
            single = nil
            return text
        }
        defer { lines.removeAll(keepingCapacity: lines.capacity <= 4096) }
        return String(decoding: lines, as: UTF8.self)
    }
}
