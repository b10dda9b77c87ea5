/// How the names and values of a query are encoded.
public enum QueryEncoding: Sendable, Hashable {
    /// Percent-encodes everything except letters, digits and `-._~`. Source: RFC 3986 section 2.
    case percent
    /// Encodes as a form does, with a space as `+`: see ``RequestBody/formEncoded(_:)-(String)``.
    case form

    func encoded(_ text: String) -> String {
        switch self {
        case .percent: PercentEncoding.encoded(text, keeping: "-._~")
        case .form: RequestBody.formEncoded(text)
        }
    }
}

/// How several values of one name are written. No standard defines it, so servers differ.
public enum QueryArrays: Sendable, Hashable {
    /// `tag=a&tag=b`
    case repeated
    /// `tag[]=a&tag[]=b`, the brackets encoded
    case brackets
    /// `tag[0]=a&tag[1]=b`, the brackets encoded
    case indices
    /// `tag=a,b`; a comma in a value is encoded
    case commas
}

extension RequestURL {
    /// The part after the question mark, encoded as it is sent; `nil` if there is none.
    public var query: String? {
        pathAndQuery.firstIndex(of: "?").map { String(pathAndQuery[pathAndQuery.index(after: $0)...]) }
    }

    /// Returns the address with these names and values after those that its query has, in order.
    ///
    ///     try RequestURL("https://api.example/search").appending(query: ["q": "fresh water", "page": "2"])
    public func appending(
        query items: KeyValuePairs<String, String>, encoding: QueryEncoding = .percent
    ) -> RequestURL {
        appending(query: items.map { (name: $0.key, value: $0.value) }, encoding: encoding)
    }

    /// Returns the address with the names and values of a dictionary after those that its query has, in the order of the names,
    /// so that the address is always the same.
    // The label differs from `query`: the compiler would choose a dictionary for a literal too, which loses its order.
    public func appending(queryDictionary: [String: String], encoding: QueryEncoding = .percent) -> RequestURL {
        let items = queryDictionary.sorted { $0.key < $1.key }
        return appending(query: items.map { (name: $0.key, value: $0.value) }, encoding: encoding)
    }

    /// Returns the address with these names and values after those that its query has, for items that are not literals.
    public func appending(
        query items: [(name: String, value: String)], encoding: QueryEncoding = .percent
    ) -> RequestURL {
        appending(items.map { "\(encoding.encoded($0.name))=\(encoding.encoded($0.value))" })
    }

    /// Returns the address with one name that has several values.
    public func appending(
        query name: String, values: [String], as style: QueryArrays = .repeated, encoding: QueryEncoding = .percent
    ) -> RequestURL {
        switch style {
        case .repeated: return appending(query: values.map { (name, $0) }, encoding: encoding)
        case .brackets: return appending(query: values.map { (name + "[]", $0) }, encoding: encoding)
        case .indices:
            return appending(query: values.enumerated().map { ("\(name)[\($0)]", $1) }, encoding: encoding)
        case .commas:
            let list = values.map { encoding.encoded($0) }.joined(separator: ",")
            return appending(values.isEmpty ? [] : ["\(encoding.encoded(name))=\(list)"])
        }
    }

    private func appending(_ items: [String]) -> RequestURL {
        guard !items.isEmpty else { return self }
        let joint = query.map { $0.isEmpty || $0.hasSuffix("&") ? "" : "&" } ?? "?"
        return with(pathAndQuery: pathAndQuery + joint + items.joined(separator: "&"))
    }

    /// Returns the address with more segments at the end of its path, before the query.
    ///
    /// Each string becomes one segment: a slash or a percent sign in it is encoded. If the last string is empty, the path ends
    /// with a slash.
    ///
    ///     try RequestURL("https://api.example/v1").appending(path: "users", name)
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for `.` and `..`, which would lead elsewhere even if they were
    ///   encoded.
    public func appending(path segments: String...) throws -> RequestURL {
        try appending(path: segments)
    }

    /// Returns the address with the segments of an array at the end of its path.
    public func appending(path segments: [String]) throws -> RequestURL {
        guard !segments.isEmpty else { return self }
        guard !segments.contains("."), !segments.contains("..") else { throw Self.dotSegmentRefusal }
        let added = segments.map { PercentEncoding.encoded($0, keeping: "-._~!$&'()*+,;=:@") }.joined(separator: "/")
        let path = path
        return with(
            pathAndQuery: path + (path.hasSuffix("/") ? "" : "/") + added + pathAndQuery.dropFirst(path.count))
    }

    static let dotSegmentRefusal = refusal(
        "a segment of the path is . or .., which leads elsewhere", "check what it is made of")

    /// Whether a segment of a path that may be encoded is `.` or `..`. Source: RFC 3986 sections 3.3 and 6.2.2.2.
    static func isDotSegment(_ segment: Substring) -> Bool {
        guard segment.utf8.count <= 6 else { return false }
        return [".", "..", ".%2e", "%2e", "%2e.", "%2e%2e"].contains(segment.lowercased())
    }
}
