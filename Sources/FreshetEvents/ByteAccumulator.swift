/// Collects bytes that arrive in pieces and are needed as a whole. It keeps large pieces as they are, and gathers small ones in
/// blocks, which it does not copy while the whole grows. It holds about as much memory as the bytes that it was given.
struct ByteAccumulator: Sendable {
    /// A part of a piece, or all of it.
    struct Block: Sendable {
        var bytes: [UInt8]
        var range: Range<Int>

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
    }

    /// The least number of bytes in the first block, if there are as many: enough for a byte order mark and the name of a
    /// field.
    private static let leastInFirst = 16
    private static let large = 1024
    private static let full = 64 * 1024

    private var blocks: [Block] = []
    /// The bytes after the blocks.
    private var tail: [UInt8] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// Whether there is a block. Then there are many bytes, and the first block is long.
    var isLong: Bool { !blocks.isEmpty }

    /// Calls `body` with the first bytes.
    func withFirst<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        if let first = blocks.first { return try first.withBytes(body) }
        return try tail.withUnsafeBytes(body)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        tail.append(contentsOf: bytes)
        count += bytes.count
        if tail.count >= Self.full { close() }
    }

    mutating func append(_ byte: UInt8) {
        tail.append(byte)
        count += 1
    }

    mutating func append(_ block: Block) {
        var block = block
        let lead = min(block.range.count, max(0, Self.leastInFirst - count))
        if lead > 0 { block.withBytes { append(UnsafeRawBufferPointer(rebasing: $0[..<lead])) } }
        block.range = (block.range.lowerBound + lead)..<block.range.upperBound
        // A part of a piece keeps the memory of the whole piece alive.
        if block.range.count >= max(Self.large, block.bytes.capacity / 2) {
            close()
            count += block.range.count
            blocks.append(block)
        } else {
            block.withBytes { append($0) }
        }
    }

    mutating func append(_ other: ByteAccumulator, droppingFirst skipped: Int) {
        var skipped = skipped
        for var block in other.blocks {
            block.range = (block.range.lowerBound + skipped)..<block.range.upperBound
            append(block)
            skipped = 0
        }
        append(Block(bytes: other.tail, range: skipped..<other.tail.count))
    }

    /// Removes all bytes, and returns them as text without the last `dropped` bytes. Malformed UTF-8 is replaced.
    mutating func removeText(droppingLast dropped: Int = 0) -> String {
        defer { removeAll() }
        let size = count - dropped
        if blocks.isEmpty { return String(decoding: tail.prefix(size), as: UTF8.self) }
        return String(unsafeUninitializedCapacity: size) { text in
            var rest = UnsafeMutableRawBufferPointer(text)
            func copy(_ bytes: UnsafeRawBufferPointer) {
                let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(rest.count))
                rest.copyMemory(from: part)
                rest = UnsafeMutableRawBufferPointer(rebasing: rest[part.count...])
            }
            for block in blocks { block.withBytes(copy) }
            tail.withUnsafeBytes(copy)
            return size
        }
    }

    /// Removes all bytes, and returns them as one array.
    mutating func removeBytes() -> [UInt8] {
        defer { removeAll() }
        if blocks.isEmpty { return tail }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for block in blocks { bytes += block.bytes[block.range] }
        return bytes + tail
    }

    mutating func removeAll() {
        blocks = []
        count = 0
        // Memory that did not become large is used again.
        tail.removeAll(keepingCapacity: tail.capacity <= 4096)
    }

    private mutating func close() {
        guard !tail.isEmpty else { return }
        blocks.append(Block(bytes: tail, range: tail.indices))
        tail = []
    }
}
