import HTTPTypes

/// The fields of a request that selected a response. Source: RFC 9111 section 4.1.
enum Vary {
    /// Fields whose values mean the same in capitals. Source: RFC 9110 sections 12.5.2 to 12.5.4.
    private static let caseInsensitive: Set = ["accept-charset", "accept-encoding", "accept-language"]

    /// The names in lower case, some of them twice if the server repeats them; `nil` if no request matches, or if it is unknown
    /// which ones do because a name is malformed.
    static func names(in fields: HTTPFields) -> [String]? {
        let names = fields.tokens(in: .vary)
        return names.contains { $0 == "*" || HTTPField.Name($0) == nil } ? nil : names
    }

    /// The values that `request` has for `names`, without `Authorization`: the owner of the response replaces it, because tokens
    /// rotate.
    static func selectors(_ names: [String], of request: HTTPFields) -> [String: String?] {
        var selectors: [String: String?] = [:]
        for name in names where name != "authorization" {
            selectors[name] = .some(value(of: name, in: request))
        }
        return selectors
    }

    /// - Parameter fingerprint: the form in which the values are stored.
    static func matches(
        _ selectors: [String: String?], _ request: HTTPFields, by fingerprint: (String) -> String
    ) -> Bool {
        selectors.allSatisfy { $0.value == value(of: $0.key, in: request).map(fingerprint) }
    }

    /// Combines the lines, and removes the whitespace around the members of a list.
    private static func value(of name: String, in fields: HTTPFields) -> String? {
        guard let field = HTTPField.Name(name), fields.contains(field) else { return nil }
        let value = fields[values: field].joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ") }.joined(separator: ",")
        return caseInsensitive.contains(name) ? value.lowercased() : value
    }
}
