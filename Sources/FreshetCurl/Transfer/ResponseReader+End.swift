import FreshetHTTP

// Whether a response that has ended is all of it.
extension ResponseReader {
    /// Whether a response that says how long it is has come as it says, as most do; ``shortfall(isCutOff:)`` tells it of
    /// others.
    var isPlainlyWhole: Bool {
        guard hasHead else { return false }
        if isBodyless { return true }
        guard let contentLength else { return false }
        guard let coded else { return received >= contentLength }
        return coded.size >= contentLength && coded.isProvenWhole(decoded: received)
    }

    /// What is missing at an end that libcurl takes for a good one: some releases do so where an HTTP/2 stream is cut,
    /// and all where what they decode is.
    ///
    /// - Parameter isCutOff: whether the connection ended without TLS saying so.
    func shortfall(isCutOff: Bool) -> Problem? {
        guard hasHead else {
            return (.connectionLost, "the connection ended within the head of the response", .tryAgain)
        }
        if let length = contentLength, coded.map({ $0.size > 0 ? $0.size : length }) ?? received < length {
            return (.connectionLost, "the response is shorter than its head says", .tryAgain)
        }
        if isCutOff {
            return (
                .connectionLost,
                "the connection ended without TLS saying so, and nothing else tells whether the response is whole",
                .tryAgain
            )
        }
        guard let coded, !coded.isWhole(decoded: received) else { return nil }
        guard contentLength != nil || coded.isChunked else {
            return (.connectionLost, "the connection ended before the compressed response was complete", .tryAgain)
        }
        return (.decoding, "the compressed response does not end where its data does", .askUncompressed)
    }
}
