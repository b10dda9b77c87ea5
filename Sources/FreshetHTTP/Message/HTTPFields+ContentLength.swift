public import HTTPTypes

extension HTTPFields {
    /// The number of bytes in `Content-Length`; `nil` if the field is missing, or has more than the digits of a number. Of several
    /// fields, the first counts. Source: RFC 9110 section 8.6.
    ///
    /// The head of a response to HEAD, and of a 304, states the length of a body that is not sent.
    public var contentLength: Int? {
        // Only the first field: joining several fields costs ten times as much, and the transport refuses different lengths.
        first { $0.name == .contentLength }.flatMap { Int(digits: $0.value) }
    }
}
