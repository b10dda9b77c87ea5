public import FoundationEssentials

extension RequestBody {
    /// Text in UTF-8, of the type `text/plain; charset=utf-8`.
    public static func text(_ text: String) -> RequestBody {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// Text in another encoding, of which the type tells: ASCII, Latin 1, UTF-8, UTF-16 and UTF-32, the last two big-endian.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for what the encoding can't say, and for other encodings.
    public static func text(_ text: String, charset encoding: String.Encoding) throws -> RequestBody {
        let bytes: [UInt8]
        let name: String
        switch encoding {
        case .utf8: return .text(text)
        case .ascii: (bytes, name) = (try narrow(text, below: 0x80), "us-ascii")
        case .isoLatin1: (bytes, name) = (try narrow(text, below: 0x100), "iso-8859-1")
        case .utf16, .utf16BigEndian: (bytes, name) = (text.utf16.flatMap { wide($0) }, "utf-16be")
        case .utf16LittleEndian: (bytes, name) = (text.utf16.flatMap { wide($0).reversed() }, "utf-16le")
        case .utf32, .utf32BigEndian: (bytes, name) = (text.unicodeScalars.flatMap { wide($0.value) }, "utf-32be")
        default:
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "bodies are not written in this charset; encode the text and give its bytes", isUnsent: true)
        }
        return .bytes(bytes, contentType: "text/plain; charset=\(name)")
    }

    private static func narrow(_ text: String, below limit: UInt32) throws -> [UInt8] {
        try text.unicodeScalars.map { scalar in
            guard scalar.value < limit else {
                throw HTTPClientError(
                    .invalidRequest, phase: .preparing,
                    message: "the charset has no character for one of the text's; send it as UTF-8", isUnsent: true)
            }
            return UInt8(scalar.value)
        }
    }

    private static func wide<Unit: FixedWidthInteger>(_ unit: Unit) -> [UInt8] {
        withUnsafeBytes(of: unit.bigEndian) { Array($0) }
    }
}
