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
            for directive in Self.split(Array(line.utf8)) { add(directive) }
        }
    }

    private mutating func add(_ text: ArraySlice<UInt8>) {
        let end = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
        let name = String(decoding: Self.trimmed(text[..<end]), as: UTF8.self).lowercased()
        let value = end < text.endIndex ? Self.unquoted(Self.trimmed(text[(end + 1)...])) : nil
        directives.append(Directive(name: name, value: value))
    }

    /// Splits at commas outside of quoted strings.
    private static func split(_ line: [UInt8]) -> [ArraySlice<UInt8>] {
        var (isQuoted, isEscaped) = (false, false)
        return line.split { byte in
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ","): return !isQuoted
            default: break
            }
            return false
        }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = text.drop(while: isSpace)
        return start[..<((start.lastIndex { !isSpace($0) } ?? start.startIndex - 1) + 1)]
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        let isQuoted = text.count >= 2 && text.first == quote && text.last == quote
        return String(decoding: isQuoted ? text.dropFirst().dropLast() : text, as: UTF8.self)
    }

    private subscript(name: String) -> Directive? { directives.first { $0.name == name } }

    func contains(_ name: String) -> Bool { self[name] != nil }

    /// A number of seconds, at most 2^31; `nil` if the directive is missing. A directive with another value counts as 0, which
    /// makes a response stale. Source: RFC 9111 sections 1.2.2 and 4.2.1.
    func seconds(_ name: String) -> Double? {
        guard let directive = self[name] else { return nil }
        guard let value = directive.value, !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return 0
        }
        return min(Double(value) ?? .infinity, 2_147_483_648)
    }

    /// Whether the directive is present without a value, as `max-stale` can be.
    func isBare(_ name: String) -> Bool { self[name].map { $0.value == nil } ?? false }
}
