/// The type of a body, as `Content-Type` states it: `text/html; charset=utf-8`.
/// Source: RFC 9110 sections 8.3.1 and 5.6.6.
public struct MediaType: Sendable, Hashable {
    public struct Parameter: Sendable, Hashable {
        /// In lower case.
        public var name: String
        public var value: String
    }

    /// In lower case, like the subtype.
    public var type: String
    public var subtype: String
    public var parameters: [Parameter] = []

    /// Reads the value of a field; `nil` if it has no type at all. Malformed parameters are dropped, as in browsers.
    public init?(_ field: String) {
        var rest = field.utf8[...]
        Self.skipSpace(&rest)
        let type = Self.token(&rest)
        guard !type.isEmpty, rest.popFirst() == UInt8(ascii: "/") else { return nil }
        let subtype = Self.token(&rest)
        guard !subtype.isEmpty else { return nil }
        Self.skipSpace(&rest)
        guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        while rest.popFirst() != nil {
            Self.skipSpace(&rest)
            let name = Self.token(&rest)
            if !name.isEmpty, rest.first == UInt8(ascii: "="), let value = Self.value(&rest) {
                parameters.append(Parameter(name: name.lowercased(), value: value))
            }
            rest = rest.drop { $0 != UInt8(ascii: ";") }
        }
    }

    /// The value of a parameter. If several parameters have the name, it is the value of the first one.
    public subscript(_ name: String) -> String? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.value
    }

    /// Reads the value after the equals sign at which `rest` begins; `nil` if there is none.
    private static func value(_ rest: inout Substring.UTF8View) -> String? {
        rest.removeFirst()
        guard rest.first == UInt8(ascii: "\"") else {
            let value = token(&rest)
            return value.isEmpty ? nil : value
        }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"): value.append(rest.popFirst() ?? byte)
            default: value.append(byte)
            }
        }
        // A quoted value without a closing quote goes to the end.
        return String(decoding: value, as: UTF8.self)
    }

    private static func skipSpace(_ rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 == 32 || $0 == 9 }
    }

    private static func token(_ rest: inout Substring.UTF8View) -> String {
        let token = rest.prefix { isOfToken($0) }
        rest = rest[token.endIndex...]
        return String(Substring(token))
    }

    /// Source: RFC 9110 section 5.6.2.
    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        case 33, 35...39, 42, 43, 45, 46, 94...96, 124, 126: true
        default: false
        }
    }
}
