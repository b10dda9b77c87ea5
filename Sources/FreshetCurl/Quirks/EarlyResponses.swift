import CFreshetCurl

/// libcurl before 8.1 loses the end of an HTTP/2 response that arrives together with the reset of its stream.
///
/// A server that responds before it has read the request's body resets the stream with `NO_ERROR` behind the response (RFC 9113,
/// section 8.1). When libcurl before 8.1 reads the reset, it drops the data that it has not handed out. A server that has
/// received the whole request sends no reset. So the transport makes the kernel hold the head of a request back until libcurl has
/// sent the body, in the same call. libcurl can apply the events of the socket to a new request, and then does not try to
/// send. So if there are new requests, the transport reports that a readable socket is writable too; otherwise libcurl sends
/// the body in a later call.
///
/// - Affected: 7.83 to 8.0. Upstream: curl 8.1.0, which rewrote how HTTP/2 streams end.
/// - Checked: the version, once.
/// - Without it: such a request fails with `connection_lost`. With it, the request still fails if the server's window has no room
///   for the body.
/// - Delete it when 8.1 is the oldest libcurl that is supported.
struct EarlyResponses {
    static let isActive = !Quirks.areOff && CurlVersion.number < 0x08_01_00

    /// What libcurl is told about the events `mask` of a socket (`CURL_CSELECT_`) if it may have new requests to begin.
    static func selection(for mask: Int32) -> Int32 {
        isActive && mask & CURL_CSELECT_IN != 0 ? mask | CURL_CSELECT_OUT : mask
    }

    private let fd: curl_socket_t

    /// Holds back what is sent on a connection.
    init?(on fd: curl_socket_t) {
        guard Self.isActive, freshet_cork(fd, 1) == 0 else { return nil }
        self.fd = fd
    }

    /// Sends what was held back.
    func finish() { _ = freshet_cork(fd, 0) }
}
