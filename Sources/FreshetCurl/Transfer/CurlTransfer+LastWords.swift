import CFreshetCurl
import FreshetHTTP

// An answer that has come while the request was being sent, which libcurl does not read any more once sending fails: a server
// that has enough of a body answers, leaves, and resets what still arrives. The system keeps what came before that.
extension CurlTransfer {
    /// How much of an answer is read after the connection has failed.
    private static let limit = 1 << 20

    /// Reads what has come on a socket that is about to be closed.
    static func lastWords(on fd: curl_socket_t) -> [UInt8] {
        var words: [UInt8] = []
        while words.count < limit {
            let count = words.count
            words += repeatElement(0, count: 16_384)
            let read = words.withUnsafeMutableBytes { freshet_take(fd, $0.baseAddress! + count, 16_384) }
            words.removeLast(16_384 - max(0, read))
            if read <= 0 { break }
        }
        return words
    }

    /// Takes what was left on the connection when sending failed.
    ///
    /// - Returns: whether that is the rest of an answer, and all of it.
    func take(lastWords words: [UInt8], of easy: CurlEasy) -> Bool {
        guard !words.isEmpty, failure == nil, !isHeld, !isDisposed else { return false }
        return words.withUnsafeBytes { words in
            guard parser.hasHead else {
                guard phase != .receiving, let body = takeHead(words, of: easy) else { return false }
                return takeBody(UnsafeRawBufferPointer(rebasing: words[body...]), isFromStart: true)
            }
            return takeBody(words, isFromStart: false)
        }
    }

    /// - Returns: where the body begins; `nil` if the head is not whole, or wrong.
    private func takeHead(_ words: UnsafeRawBufferPointer, of easy: CurlEasy) -> Int? {
        var start = 0
        while !parser.hasHead {
            guard let end = words[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = UnsafeRawBufferPointer(rebasing: words[start...end])
            guard received(headerLine: line, by: easy), !wantsAnotherTry else { return nil }
            start = end + 1
        }
        return start
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer, isFromStart: Bool) -> Bool {
        // What is coded libcurl alone can decode.
        guard coded == nil, failure == nil else { return false }
        if isBodyless { return true }
        if isChunked {
            guard isFromStart else { return false }
            var frames = ChunkedFrames()
            var isTaken = true
            frames.take(bytes) { isTaken = isTaken && received(body: $0) }
            return isTaken && frames.hasEnded
        }
        guard let contentLength else { return false }
        let rest = UnsafeRawBufferPointer(rebasing: bytes.prefix(contentLength - received))
        return (rest.isEmpty || received(body: rest)) && received == contentLength
    }
}
