import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// Header lines of a request as libcurl takes them: in memory that the next request uses again.
///
/// libcurl looks through each entry of its list for a dozen names that it would else fill in by itself, prints each anew,
/// and hands on what it does not know, line ends included. So the fields that mean nothing to it follow each other in one
/// entry, which costs a third of an entry for each.
struct HeaderLines: ~Copyable {
    private var text = HeaderText()
    /// Where entries begin in the text.
    private var starts: [Int] = []
    private var nodes = UnsafeMutablePointer<curl_slist>.allocate(capacity: 0)
    private var nodeCapacity = 0

    deinit { nodes.deallocate() }

    mutating func removeAll() {
        text.removeAll()
        if !starts.isEmpty { starts.removeAll(keepingCapacity: true) }
    }

    /// Lets go of the memory too; libcurl must not have the list any more. It can be used again.
    mutating func free() {
        starts = []
        text.free()
        nodes.deallocate()
        nodes = .allocate(capacity: 0)
        nodeCapacity = 0
    }

    /// The list, which lasts until the next change; `nil` if there is nothing in it.
    mutating func list() -> UnsafeMutablePointer<curl_slist>? {
        if starts.isEmpty { return nil }
        if starts.count > nodeCapacity {
            nodes.deallocate()
            nodeCapacity = max(8, starts.count * 2)
            nodes = .allocate(capacity: nodeCapacity)
        }
        text.append(0)
        for (index, start) in starts.enumerated() {
            // The end of the entry before.
            if index > 0 { text.cut(at: start - 1) }
            let next = index + 1 < starts.count ? nodes + index + 1 : nil
            nodes[index] = curl_slist(data: text.start + start, next: next)
        }
        return nodes
    }

    /// An entry of its own.
    mutating func append(line: String) {
        begin()
        text.append(line)
    }

    /// Adds a field to the entry before, or begins one.
    mutating func append(_ field: HTTPField, joining: Bool) {
        let joins = joining && !starts.isEmpty
        if joins { text.endLine() } else { begin() }
        // An entry that ends with the colon would take a header out.
        text.append(field, bare: UInt8(ascii: joins ? ":" : ";"))
    }

    /// Whether libcurl does nothing with a field of this name but send it. Most that it knows begin with a few letters.
    static func isPlain(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName.utf8.first {
        case UInt8(ascii: "x"), UInt8(ascii: "o"), UInt8(ascii: "s"): true
        case UInt8(ascii: "a"): name.canonicalName == "authorization"
        default: false
        }
    }

    private mutating func begin() {
        if !starts.isEmpty { text.append(0) }
        starts.append(text.count)
    }
}
