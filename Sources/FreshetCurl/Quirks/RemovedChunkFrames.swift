/// libcurl 8.5 removes the frames of a chunked body that it was asked to pass on as it is.
///
/// - Affected: 8.5.0. 7.88.1, and 8.12.1 and later, leave the frames. The versions between 8.1 and 8.12 other than 8.5.0 were not
///   tried.
/// - Done: ``ChunkedFrames`` looks at the first line of the body. Compressed data does not begin with a number in hexadecimal and
///   the end of a line.
/// - Checked: the version, once.
/// - Without it: a chunked and compressed body cannot be decoded.
/// - Upstream: fixed between 8.5.0 and 8.12.1.
/// - Delete it when 8.12 is the oldest libcurl that is supported.
enum RemovedChunkFrames {
    static let arePossible = !Quirks.areOff && (0x08_01_00..<0x08_0C_00).contains(CurlVersion.number)
}
