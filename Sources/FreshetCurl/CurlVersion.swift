import CFreshetCurl

/// Which libcurl the process runs with.
enum CurlVersion {
    /// Two digits in hexadecimal for each part, as `0x075801` for 7.88.1.
    static let number = curl_version_info(freshet_version_now).pointee.version_num

    /// Whether OpenSSL, and no other library, does TLS for it.
    static let hasOpenSSL = String(cString: curl_version_info(freshet_version_now).pointee.ssl_version)
        .hasPrefix("OpenSSL/")

    /// Whether it is of the release whose code was read, on which rests what its documentation does not promise.
    static let isExamined = (0x07_58_00..<0x07_59_00).contains(number)
}
