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

    /// Writes the next few bytes one by one: where one is to be escaped, more are.
    ///
    /// - Returns: where to go on.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let end = min(text.count, start + 64)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64 * 6) { buffer in
            var count = 0
            for place in start..<end { Self.write(text[place], to: buffer, &count) }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
        return end
    }

    private static func write(_ byte: UInt8, to buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int) {
        let short: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): short = byte
        case 0x0A: short = UInt8(ascii: "n")
        case 0x0D: short = UInt8(ascii: "r")
        case 0x09: short = UInt8(ascii: "t")
        case 0..<0x20:
            let digit = byte & 0xF
            let last = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            buffer[count] = UInt8(ascii: "\\")
            buffer[count + 1] = UInt8(ascii: "u")
            buffer[count + 2] = UInt8(ascii: "0")
            buffer[count + 3] = UInt8(ascii: "0")
            buffer[count + 4] = UInt8(ascii: "0") + byte >> 4
            buffer[count + 5] = last
            count += 6
            return
        default:
            buffer[count] = byte
            count += 1
            return
        }
        buffer[count] = UInt8(ascii: "\\")
        buffer[count + 1] = short
        count += 2
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
