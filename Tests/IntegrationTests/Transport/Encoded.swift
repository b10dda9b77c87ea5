/// Bodies in the content codings. Their data is stored and not compressed, so that a test can cut them anywhere.
enum Encoded {
    static func gzip(_ body: [UInt8]) -> [UInt8] {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + stored(body) + little(crc32(body), 4) + little(UInt32(body.count), 4)
    }

    /// The format that RFC 9110 means by `deflate`, which is zlib's.
    static func zlib(_ body: [UInt8]) -> [UInt8] {
        [0x78, 0x01] + stored(body) + little(adler32(body), 4).reversed()
    }

    /// The format that some servers mean by `deflate`.
    static func stored(_ body: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = body[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let count = UInt32(block.count)
            result += [rest.isEmpty ? 1 : 0] + little(count, 2) + little(~count, 2) + block
        } while !rest.isEmpty
        return result
    }

    /// Encodes up to 65,536 bytes.
    static func brotli(_ body: [UInt8]) -> [UInt8] {
        little(UInt32(body.count - 1) << 4 | 1 << 20, 3) + body + [3]
    }

    /// Encodes up to 128 KiB.
    static func zstd(_ body: [UInt8]) -> [UInt8] {
        zstdHead + little(UInt32(body.count) << 3 | 1, 3) + body
    }

    /// Encodes `blocks` times 128 KiB of one byte, in 4 bytes each.
    static func zstdBomb(blocks: Int, of byte: UInt8 = UInt8(ascii: "x")) -> [UInt8] {
        let block = little(UInt32(128 * 1024) << 3 | 1 << 1, 3) + [byte]
        return zstdHead + Array(repeatElement(block, count: blocks).joined()) + little(1, 3)
    }

    /// About 4128 zeros for each of `count` bytes, without an end.
    static func gzipBomb(count: Int) -> [UInt8] {
        // The block has codes of one bit for the longest match and for its distance, after the first zero.
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + gzipBombHead + [UInt8](repeating: 0, count: count)
    }

    private static let gzipBombHead: [UInt8] = [
        0xEC, 0xC1, 0x01, 0x01, 0x00, 0x00, 0x00, 0x80, 0x90, 0xFE, 0xAF, 0xEE, 0x08, 0x0A,
    ]
    private static let zstdHead: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x58]

    private static func little(_ number: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
