public import HTTPTypes

extension HTTPFields {
    /// Makes header fields of names in text form.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a name or a value that HTTP does not allow. The error names
    ///   the field, and not its value.
    public init(named fields: KeyValuePairs<String, String>) throws {
        self.init()
        for (name, value) in fields {
            guard let fieldName = HTTPField.Name(name) else {
                throw Self.refusal("the name of a header field contains a character that is not allowed in it")
            }
            guard HTTPField.isValidValue(value) else {
                throw Self.refusal("the value of the header field \(name) contains a control character")
            }
            append(HTTPField(name: fieldName, value: value))
        }
    }

    private static func refusal(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: "check it", isUnsent: true)
    }
}
