/// The codewords of a QR code of level L: data, and Reed-Solomon codes over GF(256). Source: ISO/IEC 18004, sections 7.4 to
/// 7.6.
struct QRBlocks {
    private let version: Int
    private let total: Int
    private let correction: Int
    private let blocks: Int

    private static let corrections = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
    private static let blockCounts = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]

    /// - Parameter version: 1 to 20.
    init(version: Int) {
        self.version = version
        var modules = (16 * version + 128) * version + 64
        if version >= 2 {
            let places = version / 7 + 2
            modules -= (25 * places - 10) * places - 55
            if version >= 7 { modules -= 36 }
        }
        total = modules / 8
        correction = Self.corrections[version - 1]
        blocks = Self.blockCounts[version - 1]
    }

    /// The capacity in bytes, including the mode and the length.
    var dataLength: Int { total - correction * blocks }

    /// - Parameter bytes: at most ``dataLength`` − 3.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version < 10 ? 8 : 16)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, dataLength * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let padding: [UInt8] = [0xEC, 0x11]
        while data.count < dataLength { data.append(padding[(data.count - (bits.count / 8)) % 2]) }
        return interleaved(data)
    }

    private func interleaved(_ data: [UInt8]) -> [UInt8] {
        let short = dataLength / blocks
        let longCount = dataLength % blocks
        var rest = data[...]
        let parts = (0..<blocks).map { index -> [UInt8] in
            let part = rest.prefix(index < blocks - longCount ? short : short + 1)
            rest = rest.dropFirst(part.count)
            return Array(part)
        }
        let codes = parts.map { Self.code(of: $0, length: correction) }
        var result: [UInt8] = []
        for index in 0...short { result += parts.compactMap { index < $0.count ? $0[index] : nil } }
        for index in 0..<correction { result += codes.map { $0[index] } }
        return result
    }

    // MARK: Reed-Solomon

    private static func code(of data: [UInt8], length: Int) -> [UInt8] {
        var divisor = [UInt8](repeating: 0, count: length)
        divisor[length - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<length {
            for index in 0..<length {
                divisor[index] = product(divisor[index], root) ^ (index + 1 < length ? divisor[index + 1] : 0)
            }
            root = product(root, 2)
        }
        var code = [UInt8](repeating: 0, count: length)
        for byte in data {
            let factor = byte ^ code.removeFirst()
            code.append(0)
            for index in 0..<length { code[index] ^= product(divisor[index], factor) }
        }
        return code
    }

    /// The product in GF(256) with the polynomial 0x11D.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result = 0
        for shift in (0..<8).reversed() {
            result = result << 1 ^ (result >> 7) * 0x11D
            if right >> shift & 1 == 1 { result ^= Int(left) }
        }
        return UInt8(result & 0xFF)
    }
}
