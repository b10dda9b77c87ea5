extension Charset {
    /// The name of the charset in a header. Source: the Encoding standard, section 4.2, in lower case.
    public var name: String {
        switch self {
        case .utf8: "utf-8"
        case .windows1252: "windows-1252"
        case .utf16LittleEndian: "utf-16le"
        case .utf16BigEndian: "utf-16be"
        }
    }

    /// Encodes `text`, without a byte order mark; `nil` if the charset lacks one of its characters.
    public func encode(_ text: String) -> [UInt8]? {
        switch self {
        case .utf8: Array(text.utf8)
        case .windows1252: Self.inWindows1252(text)
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        }
    }

    private static func inWindows1252(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for unit in text.utf16 {
            if unit < 0x80 || 0xA0...0xFF ~= unit {
                bytes.append(UInt8(unit))
            } else if let index = upper.firstIndex(of: unit) {
                bytes.append(UInt8(0x80 + index))
            } else {
                return nil
            }
        }
        return bytes
    }
}
