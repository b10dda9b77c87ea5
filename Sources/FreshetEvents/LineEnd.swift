/// Where a line ends, and whether nothing but ASCII is before that.
///
/// Both kinds of end and the rest are looked for at once, in whole words; so that each byte is read once, and text that
/// is ASCII need not be looked at again.
struct LineEnd {
    var index: Int
    /// If not, there may be something else.
    var isASCII: Bool

    /// The first in `bytes` from `start` on; its index is `count` if there is none.
    @inline(__always)
    init(in bytes: UnsafeRawPointer, from start: Int, count: Int) {
        var index = start
        var seen: UInt64 = 0
        let near = min(count, start + 32)
        while index + 8 <= near {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let ends = Self.ends(in: word)
            seen |= word
            if ends != 0 {
                self.init(index: index + ends.trailingZeroBitCount / 8, isASCII: seen & Self.high == 0)
                return
            }
            index += 8
        }
        self.init(in: bytes, from: index, count: count, seen: seen)
    }

    private init(index: Int, isASCII: Bool) {
        self.index = index
        self.isASCII = isASCII
    }

    /// The same, further away.
    @inline(never)
    private init(in bytes: UnsafeRawPointer, from start: Int, count: Int, seen: UInt64) {
        var index = start
        var seen = seen
        // The compiler makes vectors of this.
        while index + 64 <= count {
            var (ends, block): (UInt64, UInt64) = (0, 0)
            for offset in 0..<8 {
                let word = bytes.loadUnaligned(fromByteOffset: index + offset * 8, as: UInt64.self)
                ends |= Self.ends(in: word)
                block |= word
            }
            if ends != 0 { break }
            seen |= block
            index += 64
        }
        while index + 8 <= count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let ends = Self.ends(in: word)
            seen |= word
            if ends != 0 {
                self.init(index: index + ends.trailingZeroBitCount / 8, isASCII: seen & Self.high == 0)
                return
            }
            index += 8
        }
        while index < count {
            let byte = bytes.load(fromByteOffset: index, as: UInt8.self)
            if byte == .lineFeed || byte == .carriageReturn { break }
            seen |= UInt64(byte)
            index += 1
        }
        self.init(index: index, isASCII: seen & Self.high == 0)
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
