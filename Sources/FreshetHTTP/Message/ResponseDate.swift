public import HTTPTypes

extension Response {
    /// When the server made the response, by the server's clock, in whole seconds since 1970; `nil` if the response does not
    /// say. Source: RFC 9110 section 6.6.1.
    public var date: Double? { headers.date }
}

extension HTTPFields {
    fileprivate var date: Double? { self[.date].flatMap { HTTPDate.secondsSince1970($0) }.map(Double.init) }

    /// The time of the server that has just sent a response with these fields, in seconds since 1970. The other times in such
    /// fields, such as that of `Retry-After`, are on the same clock, and this machine's clock can be wrong.
    ///
    /// It is the `Date`, and the `Age` later if a cache has kept the response. Source: RFC 9110 section 6.6.1, RFC 9111 section
    /// 5.1.
    ///
    /// - Parameter secondsSince1970: the time by this machine's wall clock, which is the result without a `Date`.
    public func serverTime(orElse secondsSince1970: Double) -> Double {
        guard let date else { return secondsSince1970 }
        return date + Double(self[.age].flatMap { UInt32($0) } ?? 0)
    }
}
