import CFreshetCurl

/// The libcurl that the process runs with.
enum CurlVersion {
    /// Two digits in hexadecimal for each part, as `0x075801` for 7.88.1.
    static let number = freshet_version().pointee.version_num

    /// Whether libcurl uses the OpenSSL that this program has loaded, and no other library, for TLS.
    static let hasOpenSSL = freshet_has_openssl() != 0
}
