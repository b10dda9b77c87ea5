/// Reads JSON one value at a time, as the caller asks for it, and builds no other values. Source: RFC 8259.
///
/// Numbers are not converted, so that no digit is lost: a caller reads the text of a number. The reader does not own its bytes;
/// they have to stay in place while it reads. The time is linear in the size of the text. Each method throws ``JSONError``.
/// ``JSONValue`` reads a whole text.
public struct JSONReader {
    /// The kind of a value. The raw value names it for messages.
    public enum Kind: String, Sendable {
        case object = "an object"
        case array = "an array"
        case string = "a string"
        case number = "a number"
        case bool = "true or false"
        case null = "null"
    }

    private static let deepest = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0
    /// Whether the value is skipped. Its text is not decoded, so any escape is right in it.
    private var isSkipping = false

    public init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The kind of the next value, which is not read yet.
    public mutating func kind() throws -> Kind {
        switch try peek() {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        default: throw unexpected("a value")
        }
    }

    /// Reads an object; `body` has to read or ``skip()`` the value of each member.
    public mutating func members(_ body: (String, inout JSONReader) throws -> Void) throws {
        try nested(in: UInt8(ascii: "{"), UInt8(ascii: "}")) { reader in
            let name = try reader.string()
            try reader.expect(UInt8(ascii: ":"))
            try body(name, &reader)
        }
    }

    /// Reads an array; `body` has to read or ``skip()`` each element.
    public mutating func elements(_ body: (inout JSONReader) throws -> Void) throws {
        try nested(in: UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// Skips a value, checks its syntax, and returns its text.
    @discardableResult
    public mutating func skip() throws -> UnsafeBufferPointer<UInt8> {
        let kind = try kind()
        let (start, wasSkipping) = (position, isSkipping)
        isSkipping = true
        defer { isSkipping = wasSkipping }
        switch kind {
        case .object: try members { _, reader in try reader.skip() }
        case .array: try elements { reader in try reader.skip() }
        case .string: if try plainString() == nil { _ = try string() }
        case .number: try skipNumber()
        case .bool: try word(bytes[position] == UInt8(ascii: "t") ? "true" : "false")
        case .null: try word("null")
        }
        // A string, an object or an array has an end of its own. `01` and `nullx` are no values.
        if kind != .object, kind != .array, kind != .string, position < bytes.count,
            !" \t\r\n,]}:".utf8.contains(bytes[position])
        {
            throw unexpected("a comma or the end")
        }
        return part(start..<position)
    }

    /// Reads a number. A caller that needs all digits of any number reads the text with ``skip()``.
    public mutating func number() throws -> JSONNumber {
        guard try kind() == .number else { throw unexpected("a number") }
        let start = position
        let text = String(decoding: try skip(), as: UTF8.self)
        if let whole = Int128(text) { return JSONNumber(whole) }
        guard let number = Double(text), number.isFinite else {
            throw JSONError(message: "a number is too large", offset: start)
        }
        return JSONNumber(number)
    }

    /// Checks that nothing follows.
    public mutating func end() throws {
        skipSpace()
        if position < bytes.count { throw unexpected("the end") }
    }

    /// Reads a string, and decodes its escapes.
    public mutating func string() throws -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        position = firstToDecode(from: start)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            return try escapedString(from: start)
        }
        position += 1
        return try text(part(start..<position - 1), at: start)
    }

    /// Reads a string of ASCII characters without escapes, and returns its bytes. For anything else it returns `nil` and reads
    /// nothing.
    public mutating func plainString() throws -> UnsafeBufferPointer<UInt8>? {
        guard try peek() == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        let end = firstToDecode(from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
        let plain = part(start..<end)
        guard plain.allSatisfy({ $0 < 0x80 }) else { return nil }
        position = end + 1
        return plain
    }

    /// The offset of the first control character, quotation mark or backslash; the end if there is none.
    private func firstToDecode(from start: Int) -> Int {
        bytes[start...].firstIndex { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") } ?? bytes.count
    }

    private func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    private mutating func escapedString(from start: Int) throws -> String {
        var result = Array(part(start..<position))
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try result.withUnsafeBufferPointer { try text($0, at: start) }
            case UInt8(ascii: "\\"): try escape(into: &result)
            case 0..<0x20: throw JSONError(message: "a string holds a bare control character", offset: position - 1)
            default: result.append(byte)
            }
        }
        throw unexpected("the end of a string")
    }

    private mutating func escape(into result: inout [UInt8]) throws {
        guard position < bytes.count else { throw unexpected("the end of a string") }
        defer { position += 1 }
        switch bytes[position] {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(bytes[position])
        case UInt8(ascii: "u"):
            position += 1
            result.append(contentsOf: String(try scalar()).utf8)
            position -= 1
        default: throw unexpected("an escape")
        }
    }

    /// Reads the four digits after `\u`, and the second half of a surrogate pair.
    private mutating func scalar() throws -> Unicode.Scalar {
        let first = try hexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let mark = position
        guard first < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else { return try halfPair(endingAt: mark) }
        position += 2
        let second = try hexDigits()
        guard (0xDC00...0xDFFF).contains(second) else { return try halfPair(endingAt: mark) }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    /// Refuses half a pair, which no UTF-8 text can hold. Source: RFC 8259 section 8.2.
    private mutating func halfPair(endingAt end: Int) throws -> Unicode.Scalar {
        guard isSkipping else { throw JSONError(message: "a string has half a surrogate pair", offset: end - 6) }
        position = end
        return "\u{FFFD}"
    }

    private mutating func hexDigits() throws -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw unexpected("four hexadecimal digits") }
        position += 4
        return value
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) throws -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONError(message: "a string is not UTF-8", offset: start)
        }
        return text
    }

    private mutating func skipNumber() throws {
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
        if position < bytes.count, "+-".utf8.contains(bytes[position]) { position += 1 }
        try digits()
    }

    private mutating func digits() throws {
        let start = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        if position == start { throw unexpected("a digit") }
    }

    private mutating func word(_ word: StaticString) throws {
        guard bytes[position...].starts(with: word.description.utf8) else { throw unexpected("a value") }
        position += word.utf8CodeUnitCount
    }

    private mutating func nested(
        in opening: UInt8, _ closing: UInt8, _ body: (inout JSONReader) throws -> Void
    ) throws {
        try expect(opening)
        depth += 1
        guard depth <= Self.deepest else { throw JSONError(message: "it is nested too deep", offset: position) }
        if try peek() == closing {
            position += 1
        } else {
            repeat { try body(&self) } while try readComma(or: closing)
        }
        depth -= 1
    }

    private mutating func readComma(or closing: UInt8) throws -> Bool {
        let byte = try peek()
        guard byte == UInt8(ascii: ",") || byte == closing else { throw unexpected("a comma or a closing bracket") }
        position += 1
        return byte != closing
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard try peek() == byte else { throw unexpected("`\(Character(Unicode.Scalar(byte)))`") }
        position += 1
    }

    private mutating func peek() throws -> UInt8 {
        skipSpace()
        guard position < bytes.count else { throw unexpected("more") }
        return bytes[position]
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private func unexpected(_ expected: String) -> JSONError {
        JSONError(
            message: position < bytes.count ? "it is no JSON: \(expected) is expected" : "it ends too early",
            offset: position)
    }
}
