import CFreshetCurl

/// That a kept connection may hold more than the answer that came last: bytes which libcurl would take for the answer to the
/// next request.
///
/// The transport sees bytes that are there before the request goes out. TCP tells apart those that cross the request on the way: a
/// server that answers has the request, and its system confirms the first bytes of it with or before those of the answer.
struct StaleResponseCheck {
    private let fd: curl_socket_t
    /// How much of what was sent has arrived; negative if nobody knows.
    private let confirmed: Int64
    /// Something has come, and nothing was asked.
    let isProven: Bool

    init(on fd: curl_socket_t) {
        self.fd = fd
        isProven = freshet_is_silent(fd) == 0
        confirmed = isProven ? -1 : freshet_confirmed(fd)
    }

    /// Whether what has come now can't be the answer to the request that has gone out since.
    var isConfirmed: Bool { isProven || (confirmed >= 0 && freshet_confirmed(fd) == confirmed) }
}
