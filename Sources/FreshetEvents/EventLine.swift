#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A line of an event stream that is not blank: which field it sets, and where its value is.
struct EventLine {
    enum Field {
        case data, event, id, retry, comment, other
    }

    let bytes: UnsafeRawPointer
    let field: Field
    let value: Value

    /// - Parameters:
    ///   - start, end: where the line is in `bytes`.
    ///   - count: how many bytes there are.
    init(in bytes: UnsafeRawPointer, from start: Int, to end: Int, count: Int, isASCII: Bool) {
        self.bytes = bytes
        // "If the line contains a U+003A COLON character (:): collect the characters on the line before the first colon, and
        // let field be that string. … Otherwise … process the field using … the whole line as the field name, and the empty
        // string as the field value." No field has a longer name than five letters, and they "must be compared literally,
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

    /// The value of a line of data with a colon, as most lines are; `nil` of a few of them too.
    @inline(__always)
    static func data(in bytes: UnsafeRawPointer, from start: Int, to end: LineEnds.End, count: Int) -> Value? {
        guard end.index &- start >= 5, start &+ 8 <= count else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        guard word & 0xFF_FFFF_FFFF == data else { return nil }
        let isSpaced = end.index &- start > 5 && UInt8(truncatingIfNeeded: word >> 40) == .space
        return Value(start: start &+ (isSpaced ? 6 : 5), end: end.index, isASCII: end.isASCII)
    }

    /// The first eight bytes of the line, the first of them lowest; a colon after its last, as if it had one.
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

    /// `data:`, `event:`, `retry:` and `id:`, the first letter lowest.
    private static var data: UInt64 { 0x3A_6174_6164 }
    private static var event: UInt64 { 0x3A74_6E65_7665 }
    private static var retry: UInt64 { 0x3A79_7274_6572 }
    private static var id: UInt64 { 0x3A_6469 }
}

extension EventLine {
    /// Where a value is.
    struct Value: Sendable {
        var start: Int
        var end: Int
        /// If not, there may be something else.
        var isASCII: Bool

        var count: Int { end - start }
        var isEmpty: Bool { start == end }

        @inline(__always)
        func bytes(in bytes: UnsafeRawPointer) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: (bytes + start).assumingMemoryBound(to: UInt8.self), count: count)
        }

        /// What is no UTF-8 is replaced as "UTF-8 decode" says: that can be done line by line, for a line's end is never a
        /// part of a longer sequence.
        @inline(__always)
        func text(in bytes: UnsafeRawPointer) -> String {
            let value = self.bytes(in: bytes)
            if isASCII, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                return String(copying: UTF8Span(unchecked: value.span, isKnownASCII: true))
            }
            return String(decoding: value, as: UTF8.self)
        }

        /// - Returns: where it ends there.
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

        /// The number of ASCII digits, if it is nothing else. One that nobody would wait for is as good as a year.
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
