import CFreshetCurl

/// libcurl before 8.1 forgets that a server has refused an HTTP/2 stream if the connection ends in the same turn.
///
/// A server that shuts a connection down sends the number of the last stream that it processes (RFC 9113, section 6.8). nghttp2
/// refuses the streams above it, and libcurl sends a refused request again by itself. libcurl before 8.1 looks for the end of the
/// connection first, and then:
/// - a request whose stream was the last one of its session ends with `CURLE_HTTP2`. Once a request has gone out, libcurl
///   reports nothing else with this code;
/// - a request beside others ends with `CURLE_OK` and no response. The same happens if the server resets several streams with
///   another error and ends the connection at the same moment, which is taken for a refusal;
/// - others of that connection end with `CURLE_GOT_NOTHING`. A stream that was still open ends with `CURLE_PARTIAL_FILE`.
///
/// - Affected: 7.83 to 8.0. Upstream: curl 8.1.0, which rewrote how HTTP/2 streams end.
/// - Checked: the version, once.
/// - Without it: such a request fails with `connection_lost` unless its method is idempotent.
/// - Delete it when 8.1 is the oldest libcurl that is supported.
enum RefusedStreams {
    private static let isActive = !Quirks.areOff && CurlVersion.number < 0x08_01_00

    /// Whether a request on an HTTP/2 connection was refused, given that no byte of its response came.
    ///
    /// - Parameter besideRefused: whether another request of the connection was refused in the same turn.
    static func isRefusal(_ code: CURLcode, besideRefused: Bool) -> Bool {
        isActive && (code == CURLE_HTTP2 || code == CURLE_OK || (code == CURLE_GOT_NOTHING && besideRefused))
    }
}

extension CurlEasy {
    /// Records that the server has refused requests on the connection, if this one has ended well without a response.
    func recordRefusal() {
        guard let transfer, !transfer.state.response.hasHead, let connection = transfer.state.multiplexedConnection
        else {
            return
        }
        multi.state.turn.recordRefusal(on: connection)
    }
}
