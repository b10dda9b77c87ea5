import HTTPTypes

/// The directives of `Cache-Control`. Source: RFC 9111 section 5.2, RFC 5861, RFC 8246.
struct CacheControl: Sendable, Hashable {
    /// By their names in lower case. If a directive occurs twice, the first one counts. `nil` stands for a directive without a
    /// value.
    private var values: [String: String?] = [:]

    init(_ fields: HTTPFields) {
        for line in fields[values: .cacheControl] {
            for directive in Self.split(line) { add(directive) }
        }
    }

    private mutating func add(_ directive: Substring) {
        let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = Self.trimmed(parts[0]).lowercased()
        guard !name.isEmpty, values[name] == nil else { return }
        values[name] = .some(parts.count > 1 ? Self.unquoted(Self.trimmed(parts[1])) : nil)
    }

    /// Splits at commas outside of quoted strings.
    private static func split(_ line: String) -> [Substring] {
        var parts: [Substring] = []
        var (start, isQuoted, isEscaped) = (line.startIndex, false, false)
        for index in line.indices {
            switch line[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                parts.append(line[start..<index])
                start = line.index(after: index)
            default: break
            }
        }
        return parts + [line[start...]]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start.prefix(start.count - start.reversed().prefix { $0 == " " || $0 == "\t" }.count)
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
        return String(text.dropFirst().dropLast())
    }

    func contains(_ name: String) -> Bool { values[name] != nil }

    /// A number of seconds, at most 2^31; `nil` if the directive is missing. A directive with another value counts as 0, which
    /// makes a response stale. Source: RFC 9111 sections 1.2.2 and 4.2.1.
    func seconds(_ name: String) -> Double? {
        guard let value = values[name] else { return nil }
        guard let value, !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Double(value) ?? .infinity, 2_147_483_648)
    }

    /// Whether the directive is present without a value, as `max-stale` can be.
    func isBare(_ name: String) -> Bool { values[name] == .some(nil) }
}
