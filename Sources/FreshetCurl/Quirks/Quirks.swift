import CFreshetCurl

/// The workarounds for defects and costs of some versions of libcurl. Each is one type beside this one.
enum Quirks {
    /// Whether the environment variable `FRESHET_CURL_QUIRKS` is `off`. Each workaround then behaves as if it could not be used.
    /// The variable is read once per process.
    static let areOff = getenv("FRESHET_CURL_QUIRKS").map { strcmp($0, "off") == 0 } ?? false
}
