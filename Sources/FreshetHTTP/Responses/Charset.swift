/// A character encoding that is common on the web.
public enum Charset: Sendable, Hashable {
    case utf8
    /// Also used where a header says US-ASCII or ISO-8859-1.
    case windows1252
    case utf16LittleEndian
    case utf16BigEndian

    /// Finds the charset with this label, in any case; `nil` if it is none of these.
    /// Source: the labels of the Encoding standard, section 4.2.
    public init?(label: String) {
        switch label.lowercased().filter({ !" \t\n\r\u{C}".contains($0) }) {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8":
            self = .utf8
        case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1",
            "iso_8859-1:1987", "iso-ir-100", "csisolatin1", "latin1", "l1", "cp819", "ibm819", "us-ascii", "ascii",
            "ansi_x3.4-1968":
            self = .windows1252
        case "utf-16", "utf-16le", "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff":
            self = .utf16LittleEndian
        case "utf-16be", "unicodefffe":
            self = .utf16BigEndian
        default:
            return nil
        }
    }

    /// The charset that a byte order mark names, and the length of the mark. A byte order mark takes precedence over any label.
    /// Source: the Encoding standard, section 6.
    static func marked(at bytes: some RandomAccessCollection<UInt8>) -> (charset: Charset, length: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return nil
    }

    /// Decodes `bytes`. Malformed bytes become U+FFFD, and a byte order mark is decoded like other text.
    public func decode(_ bytes: some RandomAccessCollection<UInt8>) -> String {
        switch self {
        case .utf8: String(decoding: bytes, as: UTF8.self)
        case .windows1252: Self.windows1252(bytes)
        case .utf16LittleEndian, .utf16BigEndian: String(decoding: units(bytes), as: UTF16.self)
        }
    }

    /// Decodes `bytes`, or returns `nil` if any of them are malformed.
    public func decodeStrictly(_ bytes: some RandomAccessCollection<UInt8>) -> String? {
        switch self {
        case .utf8: String(validating: bytes, as: UTF8.self)
        case .windows1252: Self.windows1252(bytes)
        case .utf16LittleEndian, .utf16BigEndian:
            bytes.count % 2 == 0 ? String(validating: units(bytes), as: UTF16.self) : nil
        }
    }

    private func units(_ bytes: some RandomAccessCollection<UInt8>) -> [UInt16] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2 + 1)
        var first: UInt8?
        for byte in bytes {
            if let low = first {
                units.append(
                    self == .utf16LittleEndian ? UInt16(byte) << 8 | UInt16(low) : UInt16(low) << 8 | UInt16(byte))
                first = nil
            } else {
                first = byte
            }
        }
        // An incomplete code unit at the end is malformed.
        if first != nil { units.append(0xFFFD) }
        return units
    }

    private static func windows1252(_ bytes: some RandomAccessCollection<UInt8>) -> String {
        // Most text is ASCII, which needs no mapping.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.map { 0x80...0x9F ~= $0 ? upper[Int($0) - 0x80] : UInt16($0) }, as: UTF16.self)
    }

    /// The characters of 0x80 to 0x9F, where ISO-8859-1 has controls. Source: the Encoding standard's index.
    static let upper: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
