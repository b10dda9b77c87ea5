import CFreshetCurl

/// Checks whether the bytes that arrive on a kept connection can be the response to the request that is sent on it. libcurl would
/// treat surplus bytes behind the previous response as that response.
///
/// The transport sees bytes that arrive before the request is sent. TCP identifies bytes that cross the request on the way: a
/// server that responds has received the request, so its system acknowledges the first bytes of the request with or before those
/// of the response.
struct StaleResponseCheck {
    private let fd: curl_socket_t
    /// The number of sent bytes that the peer's system has acknowledged; negative if it is unknown.
    private let confirmed: Int64
    /// Whether any byte arrived before the request was sent.
    let isProven: Bool

    init(on fd: curl_socket_t) {
        self.fd = fd
        isProven = freshet_is_silent(fd) == 0
        confirmed = isProven ? -1 : freshet_confirmed(fd)
    }

    /// Whether the bytes that have arrived now can't be the response to the request that was sent since.
    var isConfirmed: Bool { isProven || (confirmed >= 0 && freshet_confirmed(fd) == confirmed) }
}
