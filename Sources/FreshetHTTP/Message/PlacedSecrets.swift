public import HTTPTypes

/// Where a request or its response has credentials. A recording masks them.
public struct PlacedSecrets: RequestTag, Hashable {
    /// The names of header fields, and of members of the query, of a form or of JSON. Their values are masked wherever they occur.
    public var names: Set<String>
    /// Further header fields of the request, which are masked there alone.
    public var requestFields: Set<HTTPField.Name>
    /// Whether a recorded response can't take the place of a new one, as with a request for a token, a registration or a revocation.
    /// A recording that adds to its file sends such a request again, and masks all strings and numbers in its JSON.
    public var needsNewResponse: Bool

    public init(names: Set<String>, requestFields: Set<HTTPField.Name> = [], needsNewResponse: Bool = false) {
        self.names = names
        self.requestFields = requestFields
        self.needsNewResponse = needsNewResponse
    }
}

extension Request {
    /// Records the header fields and the members of the query that were added to `earlier`. An interceptor calls this after it has
    /// placed a credential. `Authorization` is not recorded, because its value is always masked.
    ///
    /// - Parameters:
    ///   - secrets: the credential, computed only if a field was added. A field that holds none of them, such as one with the
    ///     version of the program, is masked in the request alone.
    ///   - earlier: the request without the credential.
    public mutating func recordSecrets(_ secrets: @autoclosure () -> [String], addedTo earlier: Request) {
        var placed = tags[PlacedSecrets.self] ?? PlacedSecrets(names: [])
        let before = placed
        let added = headers.filter { $0.name != .authorization && !earlier.headers.contains($0) }
        let credential = added.isEmpty ? [] : secrets()
        for field in added {
            if credential.contains(where: { field.value.contains($0) }) {
                placed.names.insert(field.name.canonicalName)
            } else {
                placed.requestFields.insert(field.name)
            }
        }
        if url.pathAndQuery != earlier.url.pathAndQuery {
            let known = Set(earlier.url.query?.split(separator: "&") ?? [])
            for item in url.query?.split(separator: "&") ?? [] where !known.contains(item) {
                placed.names.insert(String(item.prefix { $0 != "=" }))
            }
        }
        if placed != before { tags[PlacedSecrets.self] = placed }
    }
}
