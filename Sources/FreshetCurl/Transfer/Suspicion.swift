import CFreshetCurl
import FreshetHTTP

/// That a kept connection may hold more than the answer that came last: bytes which libcurl would take for the answer to the
/// next request.
///
/// What is there before the request goes out is seen. What crosses it on the way is told by TCP: an answer comes from a server
/// that has the request, and so confirms at least its first bytes with or before the answer's own.
struct Suspicion {
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

extension CurlTransfer {
    /// - Returns: whether a kept connection is not to be used, for something came on it that was not asked for.
    func distrusts(_ suspicion: Suspicion?) -> Bool {
        isToBeSentAfresh = suspicion?.isProven == true
        self.suspicion = isToBeSentAfresh ? nil : suspicion
        return isToBeSentAfresh
    }

    /// Whether the answer says that the server has waited for a request for too long: it has given the kept connection up as
    /// the request went out. Source: RFC 9110 section 15.5.9.
    func isEndOfIdling(_ status: Int) -> Bool {
        guard status == 408, sendings == 1, !openedSocket, place?.multiplexes != true, request.method.isIdempotent,
            upload?.source.isReplayable != false
        else { return false }
        parser = ResponseHeadParser(maximumSize: options.maximumHeadSize)
        isToBeSentAfresh = true
        return true
    }

    /// Whether what begins to come is no answer to this request, which went out on a kept connection. It goes out again, if
    /// that does no harm.
    func isAnswerToNothing() -> Bool {
        guard let suspicion, suspicion.isConfirmed else { return false }
        self.suspicion = nil
        if request.method.isIdempotent, upload?.source.isReplayable != false {
            isToBeSentAfresh = true
        } else {
            failure = fail(
                .connectionLost,
                "the server sent more than it had announced, and this request crossed it",
                "send it again if that does no harm")
        }
        return true
    }
}
