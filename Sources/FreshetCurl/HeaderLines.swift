import CFreshetCurl
import FreshetHTTP
import HTTPTypes

/// The header lines of a request as libcurl takes them: in memory that the next request uses again.
///
/// libcurl looks through each entry of its list for a dozen names that it would else fill in by itself, prints each anew,
/// and hands on what it does not know, line ends included. So the fields that mean nothing to it follow each other in one
/// entry, which costs a third of an entry for each. None of their values has a line end: that was checked before.
final class HeaderLines {
    @exclusivity(unchecked) private var text = UnsafeMutablePointer<CChar>.allocate(capacity: 0)
    @exclusivity(unchecked) private var capacity = 0
    @exclusivity(unchecked) private var count = 0
    /// The line that most lists begin with, and how much of the text it is now.
    private let common: String?
    @exclusivity(unchecked) private var commonCount = 0
    /// Where entries begin in the text.
    @exclusivity(unchecked) private var starts: [Int] = []
    @exclusivity(unchecked) private var nodes = UnsafeMutablePointer<curl_slist>.allocate(capacity: 0)
    @exclusivity(unchecked) private var nodeCapacity = 0

    init(common: String?) {
        self.common = common
    }

    deinit {
        text.deallocate()
        nodes.deallocate()
    }

    /// Begins a list with the common line.
    func restart() {
        if commonCount > 0 {
            count = commonCount
            if starts.count > 1 { starts.removeLast(starts.count - 1) }
        } else {
            removeAll()
            guard let common else { return }
            append(line: common)
            commonCount = count
        }
    }

    func removeAll() {
        (count, commonCount) = (0, 0)
        if !starts.isEmpty { starts.removeAll(keepingCapacity: true) }
    }

    /// Lets go of the memory too; libcurl must not have the list any more.
    func free() {
        removeAll()
        starts = []
        text.deallocate()
        nodes.deallocate()
        text = .allocate(capacity: 0)
        nodes = .allocate(capacity: 0)
        capacity = 0
        nodeCapacity = 0
    }

    /// The list, which lasts until the next change; `nil` if there is nothing in it.
    func list() -> UnsafeMutablePointer<curl_slist>? {
        if starts.isEmpty { return nil }
        if starts.count > nodeCapacity {
            nodes.deallocate()
            nodeCapacity = max(8, starts.count * 2)
            nodes = .allocate(capacity: nodeCapacity)
        }
        append(0)
        for (index, start) in starts.enumerated() {
            // The end of the entry before.
            if index > 0 { text[start - 1] = 0 }
            nodes[index] = curl_slist(data: text + start, next: index + 1 < starts.count ? nodes + index + 1 : nil)
        }
        return nodes
    }

    /// An entry of its own.
    func append(line: String) {
        var line = line
        begin()
        line.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Adds a field to the entry before, or begins one.
    func append(_ field: HTTPField, joining: Bool) {
        var name = field.name.rawName
        let joins = joining && !starts.isEmpty
        if !joins { begin() }
        name.withUTF8 { name in
            field.withUnsafeBytesOfValue { value in
                reserve(name.count + value.count + 4)
                var end = text + count
                if joins {
                    end[0] = 13
                    end[1] = 10
                    end += 2
                }
                if let start = name.baseAddress { memcpy(end, start, name.count) }
                end += name.count
                // An entry that ends with the colon would take a header out.
                end[0] = value.isEmpty && !joins ? 59 : 58
                end += 1
                if let start = value.baseAddress, !value.isEmpty {
                    end[0] = 32
                    memcpy(end + 1, start, value.count)
                    end += 1 + value.count
                }
                count = end - text
            }
        }
    }

    /// Whether libcurl does nothing with a field of this name but send it. Most that it knows begin with a few letters.
    static func isPlain(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName.utf8.first {
        case UInt8(ascii: "x"), UInt8(ascii: "o"), UInt8(ascii: "s"): true
        case UInt8(ascii: "a"): name.canonicalName == "authorization"
        default: false
        }
    }

    private func begin() {
        if !starts.isEmpty { append(0) }
        starts.append(count)
    }

    private func append(_ byte: CChar) {
        reserve(1)
        text[count] = byte
        count += 1
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(text + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    private func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        capacity = max(1024, capacity * 2, count + more)
        let larger = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
        larger.update(from: text, count: count)
        text.deallocate()
        text = larger
    }
}
