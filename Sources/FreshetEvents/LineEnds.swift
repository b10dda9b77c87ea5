#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds where the lines of a piece end, and tells of each whether nothing but ASCII is in it, so that its text need not be
/// looked at again.
///
/// Short lines are looked at a word of eight bytes at a time, once for everything; in long ones the C library is faster.
struct LineEnds {
    struct End {
        /// The length of the piece, if there is none.
        var index: Int
        /// If not, there may be something else.
        var isASCII: Bool
    }

    private let bytes: UnsafeRawPointer
    private let count: Int
    /// The next one that was looked for from afar, or the length of the piece: streams without any pay for one look.
    private var carriageReturn = -1

    init(in bytes: UnsafeRawPointer, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    /// The first at or after `start`.
    @inline(__always)
    mutating func next(from start: Int) -> End {
        var index = start
        var seen: UInt64 = 0
        let near = min(count, start &+ 32)
        while index &+ 8 <= near {
            let word = word(at: index)
            let ends = Self.ends(in: word)
            seen |= word
            if ends != 0 { return End(index: index &+ ends.trailingZeroBitCount / 8, isASCII: seen & Self.high == 0) }
            index &+= 8
        }
        return count &- index < 8 ? last(from: index, seen) : far(from: index, seen)
    }

    /// Among fewer than eight bytes.
    private func last(from start: Int, _ seen: UInt64) -> End {
        var (index, seen) = (start, seen)
        while index < count {
            let byte = bytes.load(fromByteOffset: index, as: UInt8.self)
            if byte == .lineFeed || byte == .carriageReturn { break }
            seen |= UInt64(byte)
            index &+= 1
        }
        return End(index: index, isASCII: seen & Self.high == 0)
    }

    @inline(never)
    private mutating func far(from start: Int, _ seen: UInt64) -> End {
        if carriageReturn < start { carriageReturn = first(.carriageReturn, from: start, to: count) }
        let end = first(.lineFeed, from: start, to: carriageReturn)
        var (index, seen) = (start, seen)
        while index &+ 64 <= end, seen & Self.high == 0 {
            for offset in 0..<8 { seen |= word(at: index &+ offset &* 8) }
            index &+= 64
        }
        while index &+ 8 <= end {
            seen |= word(at: index)
            index &+= 8
        }
        while index < end {
            seen |= UInt64(bytes.load(fromByteOffset: index, as: UInt8.self))
            index &+= 1
        }
        return End(index: end, isASCII: seen & Self.high == 0)
    }

    private func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        memchr(bytes + start, Int32(byte), end - start).map { bytes.distance(to: UnsafeRawPointer($0)) } ?? end
    }

    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    private static var high: UInt64 { 0x8080_8080_8080_8080 }

    /// The highest bit of each byte that is LF or CR; above the lowest of them, of some others too.
    @inline(__always)
    private static func ends(in word: UInt64) -> UInt64 {
        zeros(in: word ^ 0x0A0A_0A0A_0A0A_0A0A) | zeros(in: word ^ 0x0D0D_0D0D_0D0D_0D0D)
    }

    /// Source: *Hacker's Delight*, 2nd edition, section 6-1.
    @inline(__always)
    private static func zeros(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & high
    }
}

extension UInt8 {
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var colon: UInt8 { 0x3A }
    static var space: UInt8 { 0x20 }
    static var tab: UInt8 { 0x09 }
}
