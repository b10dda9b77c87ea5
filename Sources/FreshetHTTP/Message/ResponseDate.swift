import HTTPTypes

extension Response {
    /// When the server made the response, by the server's clock, in whole seconds since 1970; `nil` if the response does not
    /// say. Source: RFC 9110 section 6.6.1.
    public var date: Double? {
        headers[.date].flatMap { HTTPDate.secondsSince1970($0) }.map(Double.init)
    }
}
