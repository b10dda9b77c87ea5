/// Writes JSON into bytes, members in the order in which they come.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        nested("{", "}", body)
    }

    mutating func array(_ body: (inout JSONWriter) -> Void) {
        nested("[", "]", body)
    }

    mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
        string(name.utf8)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        body(&self)
    }

    /// A value that is JSON already.
    mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    /// A string of UTF-8 bytes.
    mutating func string(_ text: some Sequence<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func string(_ text: String) { string(text.utf8) }
    mutating func number(_ number: Int) { raw(String(number).utf8) }
    mutating func null() { raw("null".utf8) }

    private mutating func nested(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: opening))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: closing))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
