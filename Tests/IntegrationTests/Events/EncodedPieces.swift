/// Streams in the content codings, flushed after each piece, so that a receiver can decode each piece as soon as it arrives.
/// Their data is stored and not compressed, except in the stream that zlib has made.
enum EncodedPieces {
    static func gzip(_ pieces: [[UInt8]]) -> [[UInt8]] {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let whole = Encoded.gzip(pieces.flatMap { $0 })
        return [head] + pieces.map { [0] + little($0.count, 2) + little(~$0.count, 2) + $0 }
            + [[1, 0, 0, 0xFF, 0xFF] + whole.suffix(8)]
    }

    static func brotli(_ pieces: [[UInt8]]) -> [[UInt8]] {
        pieces.enumerated().map { number, piece in
            // The size of the window precedes the first block.
            let bits = number == 0 ? (piece.count - 1) << 4 | 1 << 20 : (piece.count - 1) << 3 | 1 << 19
            return little(bits, 3) + piece
        } + [[3]]
    }

    static func zstd(_ pieces: [[UInt8]]) -> [[UInt8]] {
        [[0x28, 0xB5, 0x2F, 0xFD, 0, 0x58]] + pieces.map { little($0.count << 3, 3) + $0 } + [[1, 0, 0]]
    }

    /// The events `data: event 0` to `data: event 3`, made by zlib with a `Z_SYNC_FLUSH` after each.
    static let zlib: [[UInt8]] = [
        [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4A, 0x49, 0x2C, 0x49, 0xB4, 0x52, 0x48, 0x2D,
            0x4B, 0xCD, 0x2B, 0x51, 0x30, 0xE0, 0xE2, 0x02, 0x00, 0x00, 0x00, 0xFF, 0xFF,
        ],
        [0x4A, 0x41, 0xE2, 0x1A, 0x72, 0x71, 0x01, 0x00, 0x00, 0x00, 0xFF, 0xFF],
        [0x42, 0xE6, 0x1A, 0x71, 0x71, 0x01, 0x00, 0x00, 0x00, 0xFF, 0xFF],
        [0x42, 0xE6, 0x1A, 0x73, 0x71, 0x01, 0x00, 0x00, 0x00, 0xFF, 0xFF],
        [0x03, 0x00, 0xA0, 0x49, 0xF2, 0x46, 0x3C, 0x00, 0x00, 0x00],
    ]

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
