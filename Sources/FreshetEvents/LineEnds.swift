#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the lines of a piece end. Each kind of end is looked for once, so that a stream which has only the other pays for
/// one pass and no more.
struct LineEnds {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The next of each kind, or the length of the piece.
    private var lineFeed = -1
    private var carriageReturn = -1

    init(in bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The first at or after `start`.
    mutating func next(from start: Int) -> Int? {
        if lineFeed < start {
            // Every other line or so is blank.
            if start < bytes.count, bytes[start] == .lineFeed {
                lineFeed = start
                return start
            }
            lineFeed = first(.lineFeed, from: start)
        }
        if carriageReturn < start { carriageReturn = first(.carriageReturn, from: start) }
        let end = min(lineFeed, carriageReturn)
        return end < bytes.count ? end : nil
    }

    private func first(_ byte: UInt8, from start: Int) -> Int {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
}

extension UInt8 {
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var colon: UInt8 { 0x3A }
    static var space: UInt8 { 0x20 }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these are its first bytes; it has to have as many.
    @inline(__always)
    func begins(with name: StaticString) -> Bool {
        for index in 0..<name.utf8CodeUnitCount where self[index] != name.utf8Start[index] { return false }
        return true
    }

    /// What comes after `count` bytes; it has to have as many.
    @inline(__always)
    func dropping(_ count: Int) -> Self {
        Self(start: baseAddress.map { $0 + count }, count: self.count - count)
    }
}
