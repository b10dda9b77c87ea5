import HTTPTypes

extension ScriptedResponse {
    /// What becomes of a connection after raw bytes.
    public enum RawEnding: Sendable, Hashable {
        /// It ends, as with a `FIN`.
        case close
        /// It is reset once the bytes have arrived.
        case reset
        /// It stays, and the next request on it is answered.
        case stay
        /// It stays, and nothing more comes until the client leaves.
        case silence
    }

    /// These very bytes in place of an answer. A stub, which has no bytes, fails with the code `protocol`.
    ///
    /// - Parameters:
    ///   - bytes: what goes out first.
    ///   - piece: what follows `bytes`, over and over; `.max` times never ends.
    ///   - times: how often.
    ///   - ending: what becomes of the connection.
    public static func raw(
        _ bytes: [UInt8], repeating piece: [UInt8] = [], times: Int = 0, then ending: RawEnding = .close
    ) -> ScriptedResponse {
        var steps: [Step] = bytes.isEmpty ? [] : [.raw(bytes, times: 1)]
        if times > 0, !piece.isEmpty { steps.append(.raw(piece, times: times)) }
        switch ending {
        case .close: steps.append(.close)
        case .reset: steps.append(.reset)
        case .stay: steps.append(.stay)
        case .silence: steps.append(.hold(Barrier()))
        }
        return ScriptedResponse(instead: steps)
    }

    /// This very text in place of an answer; see ``raw(_:repeating:times:then:)-(_,[UInt8],_,_)``.
    public static func raw(
        _ text: String, repeating piece: String = "", times: Int = 0, then ending: RawEnding = .close
    ) -> ScriptedResponse {
        raw(Array(text.utf8), repeating: Array(piece.utf8), times: times, then: ending)
    }

    /// A compressed body that becomes about `size` zeros, 158 for each byte on the wire.
    ///
    /// Sources: RFC 1950 and RFC 1951, with the fixed codes of section 3.2.6.
    public static func bomb(size: Int) -> ScriptedResponse {
        // A literal zero, then matches of 258 bytes at a distance of 1: thirteen bits each, so that eight are 13 bytes.
        let times = max(1, size / (8 * 258))
        let count = 1 + 258 + times * 8 * 258
        let sum = UInt32(count % 65_521) << 16 | 1
        var bits = BitWriter()
        bits.write(0b011, 3)
        bits.writeCode(0b0011_0000, 8)
        bits.writeMatch()
        var matches = BitWriter()
        for _ in 0..<8 { matches.writeMatch() }
        let end: [UInt8] = [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
        var response = ScriptedResponse(headers: [.contentEncoding: "deflate"], pieces: [[0x78, 0x9C] + bits.bytes])
        response.content += [.piece(matches.bytes, times: times), .piece(end, times: 1)]
        return response
    }
}

/// Bits as deflate packs them: the lowest first, codes with their highest first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func write(_ value: UInt32, _ width: Int) {
        for bit in 0..<width { append(value >> UInt32(bit) & 1) }
    }

    mutating func writeCode(_ code: UInt32, _ width: Int) {
        for bit in (0..<width).reversed() { append(code >> UInt32(bit) & 1) }
    }

    mutating func writeMatch() {
        writeCode(0b1100_0101, 8)
        writeCode(0, 5)
    }

    private mutating func append(_ bit: UInt32) {
        if count % 8 == 0 { bytes.append(0) }
        bytes[bytes.count - 1] |= UInt8(bit) << UInt8(count % 8)
        count += 1
    }
}
