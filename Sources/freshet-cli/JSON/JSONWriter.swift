/// Writes JSON into bytes. Members are written in the order of the calls.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameters:
    ///   - start: the bytes before the JSON.
    ///   - capacity: about how many bytes the JSON will have.
    init(after start: [UInt8] = [], reserving capacity: Int = 0) {
        bytes.reserveCapacity(start.count + capacity)
        bytes += start
    }

    /// Returns the bytes and a line feed.
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

    /// Writes a value that is JSON already.
    mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// Writes a string of UTF-8 bytes.
    mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = JSONText.firstToEscape(in: text, from: start)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            if end == text.count { break }
            start = escape(text, from: end)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func null() { raw("null".utf8) }

    mutating func number(_ number: Int) {
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(number.magnitude)
    }

    /// Writes a number that is given in thousandths, without trailing zeros but with one decimal at least.
    mutating func thousandths(_ number: Int) {
        self.number(number / 1000)
        let rest = number % 1000
        if rest == 0 { return bytes.append(contentsOf: ".0".utf8) }
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(rest / 100))
        if rest % 100 != 0 { bytes.append(UInt8(ascii: "0") + UInt8(rest / 10 % 10)) }
        if rest % 10 != 0 { bytes.append(UInt8(ascii: "0") + UInt8(rest % 10)) }
    }

    /// Writes a time in seconds since 1970, rounded to the millisecond; `null` if it is not known.
    mutating func seconds(_ seconds: Double?) {
        guard let seconds, abs(seconds) < 1e12 else { return null() }
        let rounded = (seconds * 1000).rounded() / 1000
        raw((Int(exactly: rounded).map(String.init) ?? String(rounded)).utf8)
    }

    private mutating func digits(_ number: UInt) {
        if number > 9 { digits(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Writes up to 64 bytes one by one, because more escapes often follow the first.
    ///
    /// - Returns: the offset of the next byte.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let end = min(text.count, start + 64)
        // Each form is stored as eight bytes, and the next one overwrites those after its length.
        withUnsafeTemporaryAllocation(byteCount: 64 * 6 + 2, alignment: 8) { buffer in
            var count = 0
            for place in start..<end {
                let (form, length) = Self.form(of: text[place])
                buffer.storeBytes(of: form.littleEndian, toByteOffset: count, as: UInt64.self)
                count += length
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return end
    }

    /// The escaped form of a byte, with its first byte in the lowest place, and the number of its bytes.
    @inline(__always)
    private static func form(of byte: UInt8) -> (UInt64, length: Int) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): (pair(byte), 2)
        case 0x0A: (pair(UInt8(ascii: "n")), 2)
        case 0x0D: (pair(UInt8(ascii: "r")), 2)
        case 0x09: (pair(UInt8(ascii: "t")), 2)
        case 0..<0x20: (control(byte), 6)
        default: (UInt64(byte), 1)
        }
    }

    private static func pair(_ letter: UInt8) -> UInt64 {
        UInt64(UInt8(ascii: "\\")) | UInt64(letter) << 8
    }

    /// The escaped form of a control character, from `\u0000` upwards.
    private static func control(_ byte: UInt8) -> UInt64 {
        let digit = UInt64(byte & 0xF)
        let letter = digit < 10 ? digit : digit + UInt64(UInt8(ascii: "a") - UInt8(ascii: "0")) - 10
        return 0x3030_3030_755C + UInt64(byte >> 4) << 32 + letter << 40
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
