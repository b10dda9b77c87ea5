import CFreshetCurl
import FreshetHTTP

// When a request goes out once more: because the server has said that it did not process it, or because a kept connection
// had died under it.
extension CurlTransfer {
    /// How often a request is sent again that the server has refused.
    static let refusalLimit = 5

    /// How a request is sent again.
    enum Resending {
        /// On any connection.
        case anywhere
        /// On a new one, since others that were kept may be as dead as the first.
        case onNewConnection
    }

    /// The request is about to go out; libcurl says so once more where it sends it again by itself.
    ///
    /// - Returns: whether it may.
    func mayGoOut() -> Bool {
        sendings += 1
        sendingsOfLibcurl += 1
        guard sendingsOfLibcurl > 1 else { return true }
        if isGuarded {
            // Only a refusal has libcurl send it again. Source: RFC 9113 section 8.7.
            refusals += 1
            return refusals <= Self.refusalLimit
        }
        // Without the guard libcurl sends again whatever died on a kept connection.
        return sendings == 2 && request.method.isIdempotent
    }

    /// Whether and how the request goes out again after it has ended with `code`.
    func resending(after code: CURLcode, on easy: CurlEasy) -> Resending? {
        guard failure == nil, !isDisposed, sendings > 0, phase != .receiving, canBeRepeated else { return nil }
        if place?.multiplexes == true, refusals < Self.refusalLimit,
            RefusedStreams.isRefusal(code, besideRefused: easy.multi.refusingPorts.contains(localPort))
        {
            refusals += 1
            return .anywhere
        }
        guard !openedSocket, !wasSentAgain, request.method.isIdempotent, Self.isLoss(code) else { return nil }
        wasSentAgain = true
        return place?.multiplexes == true ? .anywhere : .onNewConnection
    }

    /// The port of this end of its connection, if the request has gone out over HTTP/2.
    var multiplexedPort: Int32? { sendings > 0 && place?.multiplexes == true ? localPort : nil }

    /// Whether the body, if there is one, can be read once more.
    var canBeRepeated: Bool { upload?.source.isReplayable != false }

    /// The codes with which libcurl reports a connection that ended before a byte of the response. It reports some as success.
    private static func isLoss(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_OK, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2: true
        default: false
        }
    }

    /// The failure of a request that the server has refused too often.
    var refusedTooOften: HTTPClientError {
        fail(.connectionLost, "the server has refused the request \(refusals) times", .tryAgainLater)
    }

    /// The failure of a request that a kept connection died under, and that the server may have processed.
    var lostOnKept: HTTPClientError {
        fail(
            .connectionLost,
            "a kept connection died before anything of an answer came", "send it again if that does no harm")
    }
}
