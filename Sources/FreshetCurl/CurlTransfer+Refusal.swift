import FreshetHTTP

// A server of HTTP/2 that has not looked at a request says so, and then it can be sent again whatever its method.
extension CurlTransfer {
    /// Whether libcurl sends it once more because the server has refused its stream, and so has not looked at it. Nothing else
    /// has it do so after a new connection, or where it was told so. Source: RFC 9113 section 8.7.
    var isRefused: Bool { (wasFresh || isSentAgainOnlyIfRefused) && place?.multiplexes == true }

    /// That it must not go out once more.
    var sentTooOften: HTTPClientError {
        if isRefused { return fail(.connectionLost, "the server has refused the request twice", .tryAgain) }
        return lostOnKept
    }

    /// That a kept connection has ended under a request that may have been processed.
    var lostOnKept: HTTPClientError {
        fail(
            .connectionLost,
            "a kept connection died before anything of an answer came", "send it again if that does no harm")
    }

    /// A kept connection of HTTP/2 came to its end before anything of an answer: a `GOAWAY` has crossed the request.
    func serverGoesAway() {
        guard sendings == 1, !openedSocket, phase != .receiving, request.method.isIdempotent,
            upload?.source.isReplayable != false
        else { return }
        isToBeSentAfresh = true
    }
}
