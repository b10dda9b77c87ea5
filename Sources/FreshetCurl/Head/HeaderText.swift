import CFreshetCurl
import HTTPTypes

/// Header lines as they go on the wire, in memory that the next request uses again.
///
/// No value contains a line end; the request was checked before.
struct HeaderText: ~Copyable {
    private(set) var start = UnsafeMutablePointer<CChar>.allocate(capacity: 0)
    private var capacity = 0
    private(set) var count = 0

    deinit { start.deallocate() }

    mutating func removeAll() { count = 0 }

    /// Frees the memory. The value can be used again.
    mutating func free() {
        start.deallocate()
        start = .allocate(capacity: 0)
        (capacity, count) = (0, 0)
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        start[count] = CChar(bitPattern: byte)
        count += 1
    }

    mutating func append(line: String) {
        append(line)
        endLine()
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return }
        reserve(bytes.count)
        memcpy(start + count, first, bytes.count)
        count += bytes.count
    }

    /// Appends the line of `field`, without a line end.
    ///
    /// - Parameter bare: the byte that follows a name without a value.
    mutating func append(_ field: HTTPField, bare: UInt8) {
        var name = field.name.rawName
        name.withUTF8 { name in
            field.withUnsafeBytesOfValue { value in
                reserve(name.count + value.count + 4)
                var end = start + count
                if let first = name.baseAddress { memcpy(end, first, name.count) }
                end += name.count
                end[0] = CChar(bitPattern: value.isEmpty ? bare : UInt8(ascii: ":"))
                end += 1
                if let first = value.baseAddress, !value.isEmpty {
                    end[0] = CChar(bitPattern: UInt8(ascii: " "))
                    memcpy(end + 1, first, value.count)
                    end += 1 + value.count
                }
                count = end - start
            }
        }
    }

    /// Appends a line end.
    mutating func endLine() {
        reserve(2)
        start[count] = 13
        start[count + 1] = 10
        count += 2
    }

    /// Ends an entry at `place`.
    mutating func cut(at place: Int) { start[place] = 0 }

    private mutating func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        capacity = max(512, capacity * 2, count + more)
        let larger = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
    }
}
