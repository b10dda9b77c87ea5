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
}
