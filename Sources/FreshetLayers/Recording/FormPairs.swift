/// Finds the pairs of queries and forms, as they are written. A text can contain forms between other words. A value can be a URL
/// with a query of its own; its marks can be percent-encoded, once more for each URL around it.
///
/// It reads bytes, because reading a body by characters takes a hundred times as long.
enum FormPairs {
    enum Place {
        case url
        case form
        /// A form contains no white space, and none of the marks of JSON and XML. A URL can have parameters in its path.
        case text
    }

    /// A URL in a URL in a URL is the deepest whose encoding is removed.
    private static let deepest = 3

    /// The names and values of the query of `url`.
    static func query(of url: String) -> [(name: String, value: String)] {
        let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return query.split(separator: UInt8(ascii: "&")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return (String(Substring(name)), String(Substring(pair[name.endIndex...].dropFirst())))
        }
    }

    /// The values of all secret names, in ascending order. The value of a secret name is a secret as a whole, so no pair is
    /// looked for in it. The time is linear in the text.
    ///
    /// - Parameter isSecret: whether a name as it is written is that of a secret.
    static func secretValues(
        in text: String, of place: Place, where isSecret: (Substring) -> Bool
    ) -> [Range<String.Index>] {
        let bytes = Array(text.utf8)
        func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }
        var values: [Range<String.Index>] = []
        // The path of a URL has pairs only as its parameters, as in `/a;jsessionid=1/b`. Source: RFC 3986 section 3.3.
        var isPath = place == .url
        var name: Int? = isPath ? nil : 0
        var secret: (start: Int, depth: Int)?
        var isParameter = false
        func endPair(at end: Int, next: Int) {
            if let secret { values.append(index(secret.start)..<index(end)) }
            (secret, name, isParameter) = (nil, next, false)
        }
        var start = 0
        while start < bytes.count {
            let (byte, depth, end) = character(in: bytes, at: start)
            // What is encoded more often than the equals sign belongs to the value.
            let isInside = secret.map { depth > $0.depth } ?? false
            if isPath, depth == 0, ";/?#".utf8.contains(byte) {
                endPair(at: start, next: end)
                if byte == UInt8(ascii: "/") { name = nil }
                isPath = byte == UInt8(ascii: ";") || byte == UInt8(ascii: "/")
                start = end
                continue
            }
            switch byte {
            case UInt8(ascii: "="):
                if let first = name, isSecret(text[index(first)..<index(start)]) { secret = (end, depth) }
                name = nil
            case UInt8(ascii: "&") where !isInside: endPair(at: start, next: end)
            // The value of a form can hold this mark.
            case UInt8(ascii: "#") where !isInside && (secret == nil || place != .form || depth > 0):
                endPair(at: start, next: end)
            // A query can hold this mark, except if it is that of a URL around it.
            case UInt8(ascii: "?") where isParameter || secret.map { depth < $0.depth } ?? true:
                endPair(at: start, next: end)
            case UInt8(ascii: "/") where isParameter: endPair(at: start, next: end)
            case 0x09...0x0D, UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: "{"), UInt8(ascii: "}"):
                if place == .text, depth == 0 { endPair(at: start, next: end) }
            // The value of a form can hold this mark.
            case UInt8(ascii: ";") where place == .text && depth == 0 && (secret == nil || isParameter):
                endPair(at: start, next: end)
                isParameter = true
            // A name can hold brackets.
            case UInt8(ascii: "["), UInt8(ascii: "]"):
                if place == .text, depth == 0, name == nil { endPair(at: start, next: end) }
            default: break
            }
            start = end
        }
        endPair(at: bytes.count, next: bytes.count)
        return values
    }

    /// The text as it is written, then without its encoding of forms, and without that of what it encodes.
    static func decodings(_ text: String) -> [String] {
        var decodings = [text]
        while decodings.count <= deepest, let last = decodings.last, let next = decoded(last) { decodings.append(next) }
        return decodings
    }

    /// The text without the encoding of forms; `nil` if it has none.
    private static func decoded(_ text: String) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return nil }
        let bytes = Array(text.utf8)
        var (plain, start, isEncoded) = ([UInt8](), 0, false)
        while start < bytes.count {
            let byte = bytes[start]
            if byte == UInt8(ascii: "%"), let value = hexadecimal(bytes, at: start + 1) {
                plain.append(value)
                (start, isEncoded) = (start + 3, true)
            } else {
                plain.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                (start, isEncoded) = (start + 1, isEncoded || byte == UInt8(ascii: "+"))
            }
        }
        return isEncoded ? String(decoding: plain, as: UTF8.self) : nil
    }

    /// The byte at `start`, how often it is percent-encoded, and where it ends.
    static func character(in bytes: [UInt8], at start: Int) -> (byte: UInt8, depth: Int, end: Int) {
        guard bytes[start] == UInt8(ascii: "%") else { return (bytes[start], 0, start + 1) }
        var (end, depth) = (start + 1, 1)
        while hexadecimal(bytes, at: end) == UInt8(ascii: "%") { (end, depth) = (end + 2, depth + 1) }
        guard let byte = hexadecimal(bytes, at: end) else { return (UInt8(ascii: "%"), 0, end) }
        return (byte, depth, end + 2)
    }

    /// The value of two hexadecimal digits.
    private static func hexadecimal(_ bytes: [UInt8], at start: Int) -> UInt8? {
        guard start + 1 < bytes.count, let high = Character(Unicode.Scalar(bytes[start])).hexDigitValue,
            let low = Character(Unicode.Scalar(bytes[start + 1])).hexDigitValue
        else { return nil }
        return UInt8(high << 4 | low)
    }
}
