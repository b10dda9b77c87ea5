import CFreshetCurl

/// Stops libcurl from repeating a request by itself when the request's kept connection ends.
///
/// - Affected: all versions. If a kept connection ends before any byte of a response has arrived, libcurl sends the request
///   again, whatever its method is, and reports nothing. A server may have processed it.
/// - Done: each handle sets the option of RTSP for its method RECEIVE (`CURLOPT_RTSP_REQUEST`). libcurl leaves the decision
///   about such a connection to a caller that sets it, also over HTTP, where the option means nothing else. A stream that
///   the server has refused over HTTP/2 is still sent again (RFC 9113 section 8.7).
/// - Checked: libcurl's result when the option is set, for each handle. The tests check on each version that it works.
/// - Without it: the transfer aborts the second sending of a request that is not idempotent, and reports `connection_lost`,
///   also if the server has refused the stream and so has not processed it.
/// - Upstream: intended; libcurl has no option against it.
/// - Delete it when libcurl has such an option.
enum SilentResendGuard {
    /// - Returns: whether libcurl sends a request of `easy` again only if the server has refused its stream.
    static func apply(to easy: UnsafeMutableRawPointer) -> Bool {
        !Quirks.areOff && freshet_easy_set_long(easy, CURLOPT_RTSP_REQUEST, freshet_rtsp_receive) == CURLE_OK
    }
}
