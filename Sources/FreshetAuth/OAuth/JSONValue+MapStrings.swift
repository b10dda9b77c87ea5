import FreshetHTTP

extension JSONValue {
    /// Returns a copy in which `transform` has replaced every string except the names of members.
    func mapStrings(_ transform: (String) -> String) -> JSONValue {
        switch self {
        case .string(let string): .string(transform(string))
        case .array(let elements): .array(elements.map { $0.mapStrings(transform) })
        case .object(let members): .object(members.mapValues { $0.mapStrings(transform) })
        case .null, .bool, .number: self
        }
    }

    /// The names of the members that hold a string with `text`, directly or in arrays. `name` is that of this value.
    func names(holding text: String, in name: String? = nil) -> Set<String> {
        switch self {
        case .string(let string): string.contains(text) ? Set(name.map { [$0] } ?? []) : []
        case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.names(holding: text, in: name)) }
        case .object(let members): members.reduce(into: []) { $0.formUnion($1.value.names(holding: text, in: $1.key)) }
        case .null, .bool, .number: []
        }
    }
}
