import FreshetHTTP

// Checks whether a response that has ended is complete.
extension ResponseReader {
    /// Whether a response that states its length is complete, as most are. ``shortfall(isCutOff:)`` checks the others.
    var isWhole: Bool {
        guard hasHead else { return false }
        if isBodyless { return true }
        guard let contentLength else { return false }
        guard let coded else { return received >= contentLength }
        return coded.size >= contentLength && coded.isProvenWhole(decoded: received)
    }

    /// Whether the end of the connection, behind which libcurl reads no more, leaves the response complete as far as its chunks
    /// tell; `nil` if that is unknown. ``shortfall(isCutOff:)`` checks the rest.
    ///
    /// libcurl checks the last chunk only when it has sent the request.
    var endsWithConnection: Bool? {
        guard hasHead else { return false }
        return isChunked && !isBodyless ? (coded?.chunks ?? chunks).isComplete : true
    }

    /// The problem of an incomplete response that libcurl reports as complete; `nil` if the response is complete.
    ///
    /// Some releases of libcurl report an HTTP/2 stream that was cut off as complete. All releases do so for a compressed body
    /// that was cut off.
    ///
    /// - Parameter isCutOff: whether the connection ended without a `close_notify` of TLS.
    func shortfall(isCutOff: Bool) -> Problem? {
        guard hasHead else {
            let place = isInHead ? "within the head of the response" : "before a response began"
            return (.connectionLost, "the connection ended \(place)", .tryAgain)
        }
        if let length = contentLength, coded.map({ $0.size > 0 ? $0.size : length }) ?? received < length {
            return (.connectionLost, "the response is shorter than its head says", .tryAgain)
        }
        if isCutOff {
            return (
                .connectionLost,
                "the connection ended without a close_notify of TLS, so the response may be incomplete",
                .tryAgain
            )
        }
        guard let coded, !coded.isWhole(decoded: received) else { return nil }
        guard contentLength != nil || coded.isChunked else {
            return (.connectionLost, "the connection ended before the compressed response was complete", .tryAgain)
        }
        return (.decoding, "the compressed response does not end where its data does", .disableCompression)
    }
}
