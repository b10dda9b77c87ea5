/// Finds the line ends in a piece, and whether the bytes before each are all ASCII, so that the text does not have to be checked
/// again.
///
/// It checks eight bytes at a time in one pass, and sixteen if a line is longer than 24 bytes.
struct LineEnds {
    struct End {
        /// The index of the line end, or the length of the piece if there is no line end.
        var index: Int
        /// Whether all bytes are known to be ASCII.
        var isASCII: Bool
    }

    private typealias Block = SIMD16<UInt8>

    private let bytes: UnsafeRawPointer
    private let count: Int

    init(in bytes: UnsafeRawPointer, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    /// Returns the first line end at or after `start`.
    @inline(__always)
    func next(from start: Int) -> End {
        var index = start
        var seen: UInt64 = 0
        let near = min(count, start &+ 24)
        while index &+ 8 <= near {
            let word = word(at: index)
            let ends = Self.ends(in: word)
            seen |= word
            if ends != 0 { return End(index: index &+ ends.trailingZeroBitCount / 8, isASCII: seen & Self.high == 0) }
            index &+= 8
        }
        return count &- index < 8 ? last(from: index, seen) : longLineEnd(from: index, seen)
    }

    /// Searches fewer than eight bytes.
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
    private func longLineEnd(from start: Int, _ seen: UInt64) -> End {
        var index = start
        var blocks = Block()
        while index &+ 16 <= count {
            let block = bytes.loadUnaligned(fromByteOffset: index, as: Block.self)
            let ends = Self.halves((block .== Self.lineFeeds) .| (block .== Self.carriageReturns))
            blocks |= block
            if ends.x | ends.y != 0 {
                return End(
                    index: index &+ Self.first(in: ends), isASCII: (Self.joined(blocks) | seen) & Self.high == 0)
            }
            index &+= 16
        }
        var seen = Self.joined(blocks) | seen
        if index &+ 8 <= count {
            let word = word(at: index)
            let ends = Self.ends(in: word)
            seen |= word
            if ends != 0 { return End(index: index &+ ends.trailingZeroBitCount / 8, isASCII: seen & Self.high == 0) }
            index &+= 8
        }
        return last(from: index, seen)
    }
}

extension LineEnds {
    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    private static var high: UInt64 { 0x8080_8080_8080_8080 }

    /// Sets the highest bit of each byte that is LF or CR. It may also set it for bytes above the lowest of these.
    @inline(__always)
    private static func ends(in word: UInt64) -> UInt64 {
        zeros(in: word ^ 0x0A0A_0A0A_0A0A_0A0A) | zeros(in: word ^ 0x0D0D_0D0D_0D0D_0D0D)
    }

    /// Source: *Hacker's Delight*, 2nd edition, section 6-1.
    @inline(__always)
    private static func zeros(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & high
    }

    private static var lineFeeds: Block { Block(repeating: .lineFeed) }
    private static var carriageReturns: Block { Block(repeating: .carriageReturn) }

    /// Sets all bits of each byte that the mask contains.
    @inline(__always)
    private static func halves(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD2<UInt64> {
        words(Block().replacing(with: .max, where: mask))
    }

    @inline(__always)
    private static func first(in ends: SIMD2<UInt64>) -> Int {
        ends.x != 0 ? ends.x.trailingZeroBitCount / 8 : 8 &+ ends.y.trailingZeroBitCount / 8
    }

    @inline(__always)
    private static func joined(_ blocks: Block) -> UInt64 {
        let halves = words(blocks)
        return halves.x | halves.y
    }

    @inline(__always)
    private static func words(_ block: Block) -> SIMD2<UInt64> {
        withUnsafeBytes(of: block) { bytes in
            SIMD2(
                UInt64(littleEndian: bytes.load(fromByteOffset: 0, as: UInt64.self)),
                UInt64(littleEndian: bytes.load(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}

extension UInt8 {
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var colon: UInt8 { 0x3A }
    static var space: UInt8 { 0x20 }
    static var tab: UInt8 { 0x09 }
}
