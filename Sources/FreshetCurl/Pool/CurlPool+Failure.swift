import CFreshetCurl
import FreshetHTTP

extension CurlPool {
    /// What to tell of the end of a transfer; `nil` if all is well.
    static func failure(of transfer: CurlTransfer, _ easy: CurlEasy, _ code: CURLcode) -> HTTPClientError? {
        if let failure = transfer.failure { return failure }
        // What is left of the body interests nobody who has answered.
        guard code != CURLE_OK, code != CURLE_SEND_ERROR || !transfer.isAnswered else {
            return transfer.shortfall
        }
        if code == CURLE_OUT_OF_MEMORY || code == freshet_curle_too_large, transfer.isUnpacking {
            return transfer.fail(
                .tooLarge, "too much was unpacked while the answer was held", .askUncompressed)
        }
        transfer.noteWhatWasSent()
        if transfer.refusals >= CurlTransfer.refusalLimit, !transfer.parser.hasHead { return transfer.refusedTooOften }
        let error = CurlError(code: UInt32(code.rawValue))
        let (kind, message, remedy) = error.meaning(in: FailureContext(of: transfer, easy))
        // nghttp2 says the same of one that is cut short, which another try may mend.
        if kind == .protocol, code == CURLE_HTTP2_STREAM, transfer.parser.hasHead, let shortfall = transfer.shortfall {
            return shortfall
        }
        if kind == .tls { transfer.phase = .securing }
        // What the proxy answered came before TLS.
        if kind == .connect { transfer.phase = .connecting }
        if kind == .decoding { transfer.phase = .decoding }
        let isLost = kind == .connectionLost && transfer.sendings > 0 && transfer.phase != .receiving
        if isLost, !transfer.openedSocket, code != CURLE_HTTP2_STREAM { return transfer.lostOnKept }
        var failure = transfer.fail(kind, message, remedy)
        failure.underlying = error
        return failure
    }
}
