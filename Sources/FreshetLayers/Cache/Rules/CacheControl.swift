import HTTPTypes

/// The directives of `Cache-Control`. Source: RFC 9111 section 5.2, RFC 5861, RFC 8246.
struct CacheControl: Sendable {
    private struct Directive: Sendable {
        /// In lower case.
        let name: String
        let value: String?
    }

    /// If a directive occurs twice, the first one counts.
    private var directives: [Directive] = []

    init(_ fields: HTTPFields) {
        for line in fields[values: .cacheControl] {
            // Split at commas outside of quoted strings.
            var (start, isQuoted, isEscaped) = (line.startIndex, false, false)
            for (index, byte) in zip(line.utf8.indices, line.utf8) {
                switch byte {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\") where isQuoted: isEscaped = true
                case UInt8(ascii: "\""): isQuoted.toggle()
                case UInt8(ascii: ",") where !isQuoted:
                    add(line.utf8[start..<index])
                    start = line.utf8.index(after: index)
                default: break
                }
            }
            // A quoted string without an end hides no directive.
            for rest in line.utf8[start...].split(separator: UInt8(ascii: ","), maxSplits: isQuoted ? .max : 0) {
                add(rest)
            }
        }
    }

    private mutating func add(_ text: Substring.UTF8View) {
        let end = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
        let name = Substring(Self.trimmed(text[..<end])).lowercased()
        if name.isEmpty, end == text.endIndex { return }
        let value = end < text.endIndex ? Self.unquoted(Self.trimmed(text[end...].dropFirst())) : nil
        directives.append(Directive(name: name, value: value))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = text
        while let byte = text.first, isSpace(byte) { text.removeFirst() }
        while let byte = text.last, isSpace(byte) { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring.UTF8View) -> String {
        let quote = UInt8(ascii: "\"")
        let isQuoted = text.count >= 2 && text.first == quote && text.last == quote
        return String(Substring(isQuoted ? text.dropFirst().dropLast() : text))
    }

    private subscript(name: String) -> Directive? { directives.first { $0.name == name } }

    func contains(_ name: String) -> Bool { self[name] != nil }

    /// A number of seconds, at most 2^31; `nil` if the directive is missing. A directive with another value counts as 0, which
    /// makes a response stale. Source: RFC 9111 sections 1.2.2 and 4.2.1.
    func seconds(_ name: String) -> Double? {
        guard let directive = self[name] else { return nil }
        return directive.value.flatMap(Self.seconds(of:)) ?? 0
    }

    /// The number of seconds that a text is, at most 2^31; `nil` for any other text.
    static func seconds(of text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Double(text) ?? .infinity, 2_147_483_648)
    }

    /// Whether the directive is present without a value, as `max-stale` can be.
    func isBare(_ name: String) -> Bool { self[name].map { $0.value == nil } ?? false }
}
