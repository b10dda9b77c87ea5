/// libcurl 8.5 hands out the frames of chunks as the body if a transfer coding other than `chunked` stands beside them.
///
/// - Affected: 8.5.0. 7.88.1, and 8.12.1 and later, decode such a body or refuse it. The versions between 8.5 and 8.12 were not
///   tried.
/// - Done: such a response is refused. The client sends no `TE`, so a server must not use such a coding (RFC 9110, section
///   10.1.4).
/// - Checked: the version, once.
/// - Without it: the body has wrong bytes.
/// - Upstream: fixed between 8.5.0 and 8.12.1.
/// - Delete it when 8.12 is the oldest libcurl that is supported.
enum TransferCodings {
    static let areMisread = !Quirks.areOff && (0x08_05_00..<0x08_0C_00).contains(CurlVersion.number)
}
