/// Reads the challenges of one field. Source: RFC 9110 sections 11.2, 11.3 and 5.6.
struct AuthenticationChallengeParser {
    private let bytes: [UInt8]
    private var index = 0
    private var found: [AuthenticationChallenge] = []

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    /// A comma stands between challenges and between the parameters of one as well; which it was is told by what follows: a
    /// word and an equals sign is a parameter, a word alone a new scheme.
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
        // A parameter of nobody's.
        guard next != UInt8(ascii: "=") else { return }
        found.append(AuthenticationChallenge(scheme: scheme))
        guard isSeparated else { return }
        if let token = token68() {
            found[found.count - 1].token68 = token
        } else {
            _ = parseParameters(into: found.count - 1)
        }
    }

    /// Takes parameters as far as they follow each other, with or without commas: some servers leave these out.
    ///
    /// - Returns: whether there was one.
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

    /// One parameter, or nothing taken.
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

    /// A token68 that fills its element, or nothing taken.
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

    /// The content of a quoted string with its escapes undone; `nil` if it does not end, and then all is taken.
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

    /// - Returns: whether there is one.
    private mutating func skipToElement() -> Bool {
        while skipBlanks() || skip(",") {}
        return next != nil
    }

    /// To the comma that ends the element; those in quoted strings don't.
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
