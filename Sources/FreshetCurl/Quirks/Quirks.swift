import CFreshetCurl

/// What is done because of defects and costs of some versions of libcurl: each is one type beside this one.
enum Quirks {
    /// Whether the environment variable `FRESHET_CURL_QUIRKS` is `off`: then each quirk does what it does where it can't be
    /// used. Read once per process.
    static let areOff = getenv("FRESHET_CURL_QUIRKS").map { strcmp($0, "off") == 0 } ?? false
}
