/// Reads the challenges of one field. Source: RFC 9110 sections 11.2, 11.3 and 5.6.
struct AuthenticationChallengeParser {
    private let bytes: [UInt8]
    private var index = 0
    private var found: [AuthenticationChallenge] = []

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    /// Returns the challenges of the field.
    ///
    /// A comma separates both challenges and the parameters of one challenge. The text after the comma decides: a word with an
    /// equals sign is a parameter, a word alone is a new scheme.
    mutating func challenges() -> [AuthenticationChallenge] {
        while skipToElement() {
            if let last = found.indices.last, found[last].token68 == nil, parseParameters(into: last) { continue }
            parseChallenge()
            skipElement()
        }
        return found
    }

    private mutating func parseChallenge() {
        let scheme = word(Self.isTokenByte)
        guard !scheme.isEmpty else { return }
        let isSeparated = skipBlanks()
        // A parameter without a challenge is skipped.
        guard next != UInt8(ascii: "=") else { return }
        found.append(AuthenticationChallenge(scheme: scheme))
        guard isSeparated else { return }
        if let token = token68() {
            found[found.count - 1].token68 = token
        } else {
            _ = parseParameters(into: found.count - 1)
        }
    }

    /// Reads consecutive parameters, with or without commas: some servers leave the commas out.
    ///
    /// - Returns: whether there was a parameter.
    private mutating func parseParameters(into challenge: Int) -> Bool {
        var hasTaken = false
        while let (name, value) = parameter() {
            found[challenge].addParameter(name, value)
            hasTaken = true
            skipBlanks()
        }
        if hasTaken { skipElement() }
        return hasTaken
    }

    /// Reads one parameter. Consumes nothing if there is none.
    private mutating func parameter() -> (String, String)? {
        let start = index
        let name = word(Self.isTokenByte)
        skipBlanks()
        if !name.isEmpty, skip("=") {
            skipBlanks()
            let value = next == UInt8(ascii: "\"") ? quoted() : word(Self.isTokenByte)
            if let value, !value.isEmpty || bytes[index - 1] == UInt8(ascii: "\"") { return (name, value) }
        }
        index = start
        return nil
    }

    /// Reads a token68 that fills its element. Consumes nothing if there is none.
    private mutating func token68() -> String? {
        let start = index
        var token = word(Self.isToken68Byte)
        if !token.isEmpty {
            while skip("=") { token += "=" }
            skipBlanks()
            if next == nil || next == UInt8(ascii: ",") { return token }
        }
        index = start
        return nil
    }

    /// Reads a quoted string, and returns its content without escapes. If the string does not end, consumes everything and
    /// returns `nil`.
    private mutating func quoted() -> String? {
        var content: [UInt8] = []
        index += 1
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = next else { return nil }
                content.append(escaped)
                index += 1
            default: content.append(byte)
            }
        }
        return nil
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func word(_ belongs: (UInt8) -> Bool) -> String {
        let start = index
        while let byte = next, belongs(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = index
        while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { index += 1 }
        return index > start
    }

    /// Skips blanks and commas before the next element.
    ///
    /// - Returns: whether there is one.
    private mutating func skipToElement() -> Bool {
        while skipBlanks() || skip(",") {}
        return next != nil
    }

    /// Skips to the comma that ends the element. Commas in quoted strings do not end it.
    private mutating func skipElement() {
        while let byte = next, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quoted() } else { index += 1 }
        }
    }

    /// Source: RFC 9110 section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "-._~+/".utf8.contains(byte)
        }
    }
}
