import Glibc

/// A line of an event stream that is not blank: the field that it sets, and the position of its value.
struct EventLine {
    enum Field {
        case data, event, id, retry, comment, other
    }

    let bytes: UnsafeRawPointer
    let field: Field
    let value: Value

    /// - Parameters:
    ///   - start, end: the position of the line in `bytes`.
    ///   - count: the number of bytes.
    init(in bytes: UnsafeRawPointer, from start: Int, to end: Int, count: Int, isASCII: Bool) {
        self.bytes = bytes
        // "If the line contains a U+003A COLON character (:): collect the characters on the line before the first colon, and
        // let field be that string. … Otherwise … process the field using … the whole line as the field name, and the empty
        // string as the field value." No field name has more than five letters, and field names "must be compared literally,
        // with no case folding performed".
        let beginning = Self.beginning(of: bytes, from: start, to: end, count: count)
        let length: Int
        switch (beginning & 0xFF_FFFF_FFFF, beginning & 0xFFFF_FFFF_FFFF) {
        case (Self.data, _): (field, length) = (.data, 4)
        case (_, Self.event): (field, length) = (.event, 5)
        case (_, Self.retry): (field, length) = (.retry, 5)
        default:
            if beginning & 0xFF_FFFF == Self.id {
                (field, length) = (.id, 2)
            } else if beginning & 0xFF == UInt64(UInt8.colon) {
                (field, length) = (.comment, 0)
            } else {
                (field, length) = (.other, end - start)
            }
        }
        // "Collect the characters on the line after the first U+003A COLON character (:), and let value be that string. If
        // value starts with a U+0020 SPACE character, remove it from value."
        var first = min(start + length + 1, end)
        if first < end, bytes.load(fromByteOffset: first, as: UInt8.self) == .space { first += 1 }
        value = Value(start: first, end: end, isASCII: isASCII)
    }

    /// The value of a data line with a colon, as most lines are; `nil` for other lines, and for a few data lines.
    @inline(__always)
    static func data(in bytes: UnsafeRawPointer, from start: Int, to end: LineEnds.End, count: Int) -> Value? {
        guard end.index &- start >= 5, start &+ 8 <= count else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        guard word & 0xFF_FFFF_FFFF == data else { return nil }
        let isSpaced = end.index &- start > 5 && UInt8(truncatingIfNeeded: word >> 40) == .space
        return Value(start: start &+ (isSpaced ? 6 : 5), end: end.index, isASCII: end.isASCII)
    }

    /// The first eight bytes of the line as one number, with the first byte in the lowest place. A shorter line gets a colon
    /// after its last byte.
    @inline(__always)
    private static func beginning(of bytes: UnsafeRawPointer, from start: Int, to end: Int, count: Int) -> UInt64 {
        let length = end - start
        var word: UInt64 = 0
        if start + 8 <= count {
            word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        } else {
            for index in 0..<min(length, 8) {
                word |= UInt64(bytes.load(fromByteOffset: start + index, as: UInt8.self)) << (8 * index)
            }
        }
        if length >= 8 { return word }
        let bits = UInt64(8 * length)
        return word & ((1 << bits) - 1) | UInt64(UInt8.colon) << bits
    }

    /// `data:`, `event:`, `retry:` and `id:` as numbers, with the first letter in the lowest place.
    private static var data: UInt64 { 0x3A_6174_6164 }
    private static var event: UInt64 { 0x3A74_6E65_7665 }
    private static var retry: UInt64 { 0x3A79_7274_6572 }
    private static var id: UInt64 { 0x3A_6469 }
}

extension EventLine {
    /// The position of a value.
    struct Value: Sendable {
        var start: Int
        var end: Int
        /// Whether the value is known to be ASCII. If not, it may hold other characters.
        var isASCII: Bool

        var count: Int { end - start }
        var isEmpty: Bool { start == end }

        @inline(__always)
        func bytes(in bytes: UnsafeRawPointer) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: (bytes + start).assumingMemoryBound(to: UInt8.self), count: count)
        }

        /// The value as text. Malformed UTF-8 is replaced, as "UTF-8 decode" says. This works line by line, because a line end
        /// is never a part of a longer sequence.
        @inline(__always)
        func text(in bytes: UnsafeRawPointer) -> String {
            let value = self.bytes(in: bytes)
            if isASCII {
                return String(copying: UTF8Span(unchecked: value.span, isKnownASCII: true))
            }
            return String(decoding: value, as: UTF8.self)
        }

        /// - Returns: the end of the value in `target`.
        @inline(__always)
        func copy(from bytes: UnsafeRawPointer, to target: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
            if count > 0, let base = target.baseAddress { memcpy(base + start, bytes + self.start, count) }
            return start + count
        }

        func contains(_ byte: UInt8, in bytes: UnsafeRawPointer) -> Bool {
            self.bytes(in: bytes).contains(byte)
        }

        @inline(__always)
        func equals(_ other: [UInt8], in bytes: UnsafeRawPointer) -> Bool {
            other.count == count && memcmp(other, bytes + start, count) == 0
        }

        /// The value as a number, if it has only ASCII digits. A time of more than a year counts as a year, because nobody
        /// would wait for it.
        func milliseconds(in bytes: UnsafeRawPointer) -> Int? {
            if isEmpty { return nil }
            var number = 0
            for digit in self.bytes(in: bytes) {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                number = min(number * 10 + Int(digit - UInt8(ascii: "0")), 31_536_000_000)
            }
            return number
        }
    }
}
