import HTTPTypes

/// The names under which a request or its response has credentials. A recording masks the values of these names.
public struct PlacedSecrets: RequestTag, Hashable {
    /// The names of header fields, and of members of the query, of a form or of JSON.
    public var names: Set<String>

    public init(names: Set<String>) {
        self.names = names
    }
}

extension Request {
    /// Records that the header fields and the members of the query that were added to `earlier` hold a credential. An
    /// interceptor calls this after it has placed one. `Authorization` is not recorded, because its value is always masked.
    public mutating func recordSecrets(addedTo earlier: Request) {
        var names: Set<String> = []
        for field in headers where field.name != .authorization && !earlier.headers.contains(field) {
            names.insert(field.name.canonicalName)
        }
        if url.pathAndQuery != earlier.url.pathAndQuery {
            let known = Set(earlier.url.query?.split(separator: "&") ?? [])
            for item in url.query?.split(separator: "&") ?? [] where !known.contains(item) {
                names.insert(String(item.prefix { $0 != "=" }))
            }
        }
        guard !names.isEmpty else { return }
        tags[PlacedSecrets.self] = PlacedSecrets(names: names.union(tags[PlacedSecrets.self]?.names ?? []))
    }
}
