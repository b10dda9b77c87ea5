import Glibc

/// Splits bytes that arrive in pieces into lines. A line ends with LF, CR or CRLF; the last line may have no end.
///
/// Each byte is scanned once for each kind of line end, and copied once if its line began in an earlier piece.
struct LineSplitter {
    struct TooLong: Error {}

    private let maximumLength: Int
    /// The beginning of a line whose end has not arrived.
    private var begun: [UInt8] = []
    /// Whether the previous piece ended with CR, so that an LF at the start of the next piece belongs to it.
    private var mayFollowCR = false

    init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// - Throws: ``TooLong``, or what `line` throws.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ line: (UnsafeBufferPointer<UInt8>) throws -> Void) throws
    {
        var start = 0
        if mayFollowCR, let first = bytes.first {
            if first == Self.lineFeed { start = 1 }
            mayFollowCR = false
        }
        var lineFeed = -1
        var carriageReturn = -1
        while start < bytes.count {
            if lineFeed < start { lineFeed = Self.first(Self.lineFeed, in: bytes, from: start) }
            if carriageReturn < start { carriageReturn = Self.first(Self.carriageReturn, in: bytes, from: start) }
            let end = min(lineFeed, carriageReturn)
            guard begun.count + end - start <= maximumLength else { throw TooLong() }
            let rest = UnsafeBufferPointer(rebasing: bytes[start..<end])
            guard end < bytes.count else {
                begun += rest
                return
            }
            if begun.isEmpty {
                try line(rest)
            } else {
                begun += rest
                try begun.withUnsafeBufferPointer(line)
                begun.removeAll(keepingCapacity: begun.count <= 4096)
            }
            start = end + 1
            guard end == carriageReturn else { continue }
            if start == bytes.count {
                mayFollowCR = true
            } else if bytes[start] == Self.lineFeed {
                start += 1
            }
        }
    }

    /// Emits the bytes after the last line end, if there are any.
    mutating func finish(_ line: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
        guard !begun.isEmpty else { return }
        try begun.withUnsafeBufferPointer(line)
        begun = []
    }

    private static var lineFeed: UInt8 { 0x0A }
    private static var carriageReturn: UInt8 { 0x0D }

    private static func first(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), bytes.count - start) else {
            return bytes.count
        }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
}
