import HTTPTypes

extension Response {
    /// When the server made the answer, by its own clock, in seconds since 1970; `nil` if it does not say. To the second.
    /// Source: RFC 9110 section 6.6.1.
    public var date: Double? {
        headers[.date].flatMap { HTTPDate.secondsSince1970($0) }.map(Double.init)
    }
}
