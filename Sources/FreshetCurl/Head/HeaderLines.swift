import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// The header lines of a request as a list for libcurl, in memory that the next request uses again.
struct HeaderLines: ~Copyable {
    private var text = HeaderText()
    /// The positions at which entries begin in the text.
    private var starts: [Int] = []
    private var nodes = UnsafeMutablePointer<curl_slist>.allocate(capacity: 0)
    private var nodeCapacity = 0

    deinit { nodes.deallocate() }

    mutating func removeAll() {
        text.removeAll()
        if !starts.isEmpty { starts.removeAll(keepingCapacity: true) }
    }

    /// Removes all entries and frees the memory. libcurl must not have the list any more. The value can be used again.
    mutating func free() {
        starts = []
        text.free()
        nodes.deallocate()
        nodes = .allocate(capacity: 0)
        nodeCapacity = 0
    }

    /// The list, which is valid until the next change; `nil` if it is empty.
    mutating func list() -> UnsafeMutablePointer<curl_slist>? {
        if starts.isEmpty { return nil }
        if starts.count > nodeCapacity {
            nodes.deallocate()
            nodeCapacity = max(8, starts.count * 2)
            nodes = .allocate(capacity: nodeCapacity)
        }
        text.append(0)
        for (index, start) in starts.enumerated() {
            // Ends the previous entry.
            if index > 0 { text.cut(at: start - 1) }
            let next = index + 1 < starts.count ? nodes + index + 1 : nil
            nodes[index] = curl_slist(data: text.start + start, next: next)
        }
        return nodes
    }

    mutating func append(line: String) {
        begin()
        text.append(line)
    }

    mutating func append(_ field: HTTPField) {
        begin()
        // libcurl removes a header whose entry ends with a colon.
        text.append(field, bare: UInt8(ascii: ";"))
    }

    private mutating func begin() {
        if !starts.isEmpty { text.append(0) }
        starts.append(text.count)
    }
}
