import CFreshetCurl
import HTTPTypes

/// What the answers of an origin begin with: most have the same fields, and many the same head byte for byte, at least
/// within a second. What has been parsed once is compared after that, at a tenth of the cost.
///
/// Used on one loop alone. It holds two heads of at most ``largest`` bytes and 64 names: when a second is over, answers
/// with the time before and after it come for a moment in any order.
final class HeadMemory {
    /// A head with the lines that it came from.
    final class Head {
        /// They stay where they are as long as it lives.
        let bytes: UnsafeRawBufferPointer
        let head: HTTPResponse
        let info: ResponseHeadParser.Info

        fileprivate init(_ bytes: [UInt8], _ head: HTTPResponse, _ info: ResponseHeadParser.Info) {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            copy.copyBytes(from: bytes)
            self.bytes = UnsafeRawBufferPointer(copy)
            self.head = head
            self.info = info
        }

        deinit { bytes.deallocate() }

    }

    /// Whether `line` stands at `start` of a head's bytes, and is all of the line there.
    static func agrees(_ head: UnsafeRawBufferPointer, with line: UnsafeRawBufferPointer, from start: Int) -> Bool {
        guard line.last == 10, let address = line.baseAddress, start + line.count <= head.count else { return false }
        return memcmp(head.baseAddress! + start, address, line.count) == 0
    }

    private struct KnownName {
        let bytes: [UInt8]
        let name: HTTPField.Name
    }

    private static let largest = 2048

    @exclusivity(unchecked) private(set) var last: Head?
    @exclusivity(unchecked) private var other: Head?
    @exclusivity(unchecked) private var lines: [UInt8] = []
    @exclusivity(unchecked) private var isWhole = false
    /// Whose head `lines` are: several may come at the same time, and then the last that began is remembered.
    @exclusivity(unchecked) private var ticket = 0
    @exclusivity(unchecked) private var names = [KnownName?](repeating: nil, count: 64)

    /// A head is parsed from here on.
    func begin() -> Int {
        ticket += 1
        isWhole = true
        lines.removeAll(keepingCapacity: true)
        return ticket
    }

    func take(_ line: UnsafeRawBufferPointer, _ ticket: Int) {
        guard ticket == self.ticket else { return }
        if lines.count + line.count > Self.largest { isWhole = false } else { lines.append(contentsOf: line) }
    }

    func end(_ head: HTTPResponse, _ info: ResponseHeadParser.Info, _ ticket: Int) {
        guard ticket == self.ticket else { return }
        if isWhole {
            other = last
            last = Head(lines, head, info)
        }
        lines.removeAll(keepingCapacity: true)
    }

    /// The other head that is held, if it agrees with `known` up to `end` and goes on with `line`; from here on it is the last.
    func changes(from known: Head, _ end: Int, with line: UnsafeRawBufferPointer) -> Head? {
        guard let next = other === known ? last : other, next !== known, end <= next.bytes.count,
            memcmp(next.bytes.baseAddress!, known.bytes.baseAddress!, end) == 0,
            Self.agrees(next.bytes, with: line, from: end)
        else { return nil }
        if next === other { swap(&last, &other) }
        return next
    }

    static func lines(of bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void) {
        var rest = bytes
        while let start = rest.baseAddress, let end = memchr(start, 10, rest.count) {
            let count = UnsafeRawPointer(end) - start + 1
            take(UnsafeRawBufferPointer(start: start, count: count))
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// The name that is written so; `nil` if it is none.
    func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
        guard let first = bytes.first, let last = bytes.last else { return nil }
        let place = (bytes.count &* 7 &+ Int(first) &* 3 &+ Int(last)) & 63
        if let known = names[place], known.bytes.count == bytes.count,
            known.bytes.withUnsafeBytes({ memcmp($0.baseAddress!, bytes.baseAddress!, bytes.count) == 0 })
        {
            return known.name
        }
        guard let name = HTTPField.Name(String(decoding: bytes, as: UTF8.self)) else { return nil }
        if bytes.count <= 64 { names[place] = KnownName(bytes: [UInt8](bytes), name: name) }
        return name
    }
}
