public import HTTPTypes

extension HTTPFields {
    /// Makes header fields of names in text form.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a name or a value that HTTP does not allow. The error names
    ///   the field, and not its value.
    public init(named fields: KeyValuePairs<String, String>) throws {
        self.init()
        for (name, value) in fields { append(try Self.field(name, value)) }
    }

    /// Makes header fields of a dictionary, in the order of the names. Of names that differ only in their case, the last one
    /// counts.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a name or a value that HTTP does not allow. The error names
    ///   the field, and not its value.
    public init(dictionary: [String: String]) throws {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            let field = try Self.field(name, value)
            self[field.name] = field.value
        }
    }

    private static func field(_ name: String, _ value: String) throws -> HTTPField {
        guard let fieldName = HTTPField.Name(name) else {
            throw refusal("the name of a header field contains a character that is not allowed in it")
        }
        guard HTTPField.isValidValue(value) else {
            throw refusal("the value of the header field \(name) has a control character, or white space at an end")
        }
        return HTTPField(name: fieldName, value: value)
    }

    /// The value of the field with this name, as in `request.headers["X-Client"] = "trial"`; `nil` removes the field. Several
    /// values are joined with a comma.
    ///
    /// The name is a literal, so a name that HTTP does not allow is a mistake of the program and stops it. For a name that is
    /// made at run time, use ``init(named:)``.
    @_disfavoredOverload
    public subscript(name: StaticString) -> String? {
        get { self[Self.name(name)] }
        set { self[Self.name(name)] = newValue }
    }

    private static func name(_ literal: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name(literal.description) else {
            preconditionFailure("\(literal) is not the name of a header field")
        }
        return name
    }

    private static func refusal(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: "check it", isUnsent: true)
    }
}

extension HTTPFields {
    /// These fields with all cookies in one field, at the place of the first. An assignment to `headers[.cookie]` makes a field
    /// of each cookie, which HTTP/2 allows and HTTP/1.1 does not. Sources: RFC 6265 section 5.4, RFC 9113 section 8.2.3.
    public var withOneCookieField: HTTPFields {
        guard let first = firstIndex(where: { $0.name == .cookie }), case let cookies = self[values: .cookie],
            cookies.count > 1
        else { return self }
        var fields = self
        fields.removeAll { $0.name == .cookie }
        fields.insert(HTTPField(name: .cookie, value: cookies.joined(separator: "; ")), at: first)
        return fields
    }
}

extension HTTPField {
    /// Whether the field only keeps the client from adding its own `Accept` or `User-Agent`. Without a value these two mean
    /// nothing, so they are not sent. An empty `Accept-Encoding` asks for no encoding, and is sent.
    package var isLeftOut: Bool { (name == .accept || name == .userAgent) && value.isEmpty }
}
