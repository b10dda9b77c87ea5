extension HTTPClient {
    /// The version of Freshet.
    public static let version = "0.2.0"

    /// What a request says of its sender if it does not say so itself. Source: RFC 9110 section 10.1.5.
    package static let userAgent = "freshet/\(version)"
}
