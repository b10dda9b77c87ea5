import HTTPTypes

extension ScriptedResponse {
    /// What happens to a connection after raw bytes.
    public enum RawEnding: Sendable, Hashable {
        /// The connection ends with a `FIN`.
        case close
        /// The connection is reset once the bytes have arrived.
        case reset
        /// The connection stays open, and the server responds to the next request on it.
        case stay
        /// The connection stays open, and nothing more is sent until the client closes it.
        case silence
    }

    /// Sends raw bytes in place of a response. A stub has no bytes on a wire, and fails with the code `protocol`.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to send first.
    ///   - piece: the bytes that follow `bytes`, `times` times.
    ///   - times: how often to send `piece`; `.max` never ends.
    ///   - ending: what happens to the connection afterwards.
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

    /// Sends a raw text in place of a response; see ``raw(_:repeating:times:then:)-(_,[UInt8],_,_)``.
    public static func raw(
        _ text: String, repeating piece: String = "", times: Int = 0, then ending: RawEnding = .close
    ) -> ScriptedResponse {
        raw(Array(text.utf8), repeating: Array(piece.utf8), times: times, then: ending)
    }

    /// A response with a compressed body that expands to about `size` zeros, at least 2323, and 158 for each byte on the
    /// wire.
    ///
    /// Sources: RFC 1950 and RFC 1951, with the fixed codes of section 3.2.6.
    public static func decompressionBomb(size: Int) -> ScriptedResponse {
        // A literal zero, then matches of 258 bytes at a distance of 1. A match has 13 bits, so 8 matches have 13 bytes.
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

/// Packs bits as deflate does: values with the lowest bit first, codes with the highest bit first.
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
