extension HTTPClient {
    /// The version of Freshet.
    public static let version = "0.2.0"

    /// The `User-Agent` of a request that does not set its own. Source: RFC 9110 section 10.1.5.
    package static let userAgent = "freshet/\(version)"
}
