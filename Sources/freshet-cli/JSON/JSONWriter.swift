/// Writes JSON into bytes, members in the order in which they come.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameters:
    ///   - start: what stands before.
    ///   - capacity: about how many bytes will come.
    init(after start: [UInt8] = [], reserving capacity: Int = 0) {
        bytes.reserveCapacity(start.count + capacity)
        bytes += start
    }

    /// The bytes and a line feed.
    consuming func line() -> [UInt8] {
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        nested(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    mutating func array(_ body: (inout JSONWriter) -> Void) {
        nested(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        body(&self)
    }

    /// A value that is JSON already.
    mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// A string of UTF-8 bytes.
    mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while start < text.count {
            let end = JSONText.firstToEscape(in: text, from: start)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            if end < text.count { escape(text[end]) }
            start = end + 1
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func null() { raw("null".utf8) }

    mutating func number(_ number: Int) {
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(number.magnitude)
    }

    /// A number of thousandths, without trailing zeros.
    mutating func thousandths(_ number: Int) {
        self.number(number / 1000)
        let rest = number % 1000
        if rest == 0 { return bytes.append(contentsOf: ".0".utf8) }
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(rest / 100))
        if rest % 100 != 0 { bytes.append(UInt8(ascii: "0") + UInt8(rest / 10 % 10)) }
        if rest % 10 != 0 { bytes.append(UInt8(ascii: "0") + UInt8(rest % 10)) }
    }

    private mutating func digits(_ number: UInt) {
        if number > 9 { digits(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: (byte < 0x10 ? "u000" : "u00").utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        }
    }

    private mutating func nested(_ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(opening)
        needsComma = false
        body(&self)
        bytes.append(closing)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
