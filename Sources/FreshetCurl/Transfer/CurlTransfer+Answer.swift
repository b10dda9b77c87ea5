import FreshetHTTP
import HTTPTypes

// What comes of the answer; called by libcurl.
extension CurlTransfer {
    var isSecure: Bool { request.url.isSecure }

    /// - Returns: whether to go on.
    func received(headerLine bytes: UnsafeRawBufferPointer, by easy: CurlEasy) -> Bool {
        if phase != .receiving {
            if isAnswerToNothing() { return false }
            phase = .receiving
            noteSent(by: easy)
        }
        switch line(bytes) {
        case .incomplete:
            break
        case .informational(let head):
            emit(.informational(head))
        case .head(let head, let info):
            if !received(head, info) { return false }
        case .malformed(let problem):
            failure = fail(.protocol, problem, "check that the address is that of an HTTP server")
        case .tooLarge:
            failure = fail(
                .tooLarge,
                "the head of the answer is over \(options.maximumHeadSize) bytes", .raiseHeadLimit
            )
        }
        return failure == nil && !isDisposed && !(endsItself && contentLength == 0)
    }

    private func received(_ head: consuming HTTPResponse, _ info: borrowing ResponseHeadParser.Info) -> Bool {
        if refusesExpectation(info.status) || isEndOfIdling(info.status) { return false }
        if upload != nil { bodyIsAnswered(with: info.status) }
        begin(&head, info)
        if options.isLongLived { transport.pool.submit(.answers(self)) }
        emit(.head(consume head))
        return true
    }

    /// - Returns: whether to go on.
    func received(body bytes: UnsafeRawBufferPointer) -> Bool {
        received += bytes.count
        if received > allowance {
            if endsItself { takeEnd(bytes) } else { failure = excess }
            return false
        }
        let isLast = coded == nil && received == contentLength
        if isLast { noteEnd(isOnePiece: bytes.count == received) }
        emit(.body([UInt8](bytes)))
        return true
    }

    /// The last bytes of a body that libcurl does not know the length of.
    private func takeEnd(_ bytes: UnsafeRawBufferPointer) {
        let surplus = received - (contentLength ?? received)
        received -= surplus
        emit(.body([UInt8](bytes.dropLast(surplus))))
    }

    /// Bytes of a body that is decoded, before that is done.
    func received(onWire bytes: UnsafeRawBufferPointer) {
        coded?.take(bytes)
        guard let coded else { return }
        allowance = min(options.maximumBodySize ?? .max, coded.allowance)
        if let contentLength, coded.size >= contentLength { noteEnd(isOnePiece: bytes.count == coded.size) }
        // Decoded it is handed on right after this.
        if coded.hasAll { transport.pool.submit(.hasCome(self)) }
    }

    /// All of the body has come. libcurl reads no more than its length, and what the server sends behind that would be the
    /// response to the next request.
    private func noteEnd(isOnePiece: Bool) {
        bodyEnd = isOnePiece && easy?.multi.calls == callOfHead ? .withHead : .apart
        if isSecure, place?.multiplexes != true { easy?.endWithAnswerIfMoreCame() }
    }

    @inline(__always)
    private func line(_ bytes: UnsafeRawBufferPointer) -> ResponseHeadParser.Output {
        parser.line(bytes, place?.heads)
    }

    private func begin(_ head: inout HTTPResponse, _ info: ResponseHeadParser.Info) {
        isBodyless = info.status == 204 || info.status == 304 || request.method == .head
        guard !isBodyless else {
            // A server that sends a body all the same may send it a moment later.
            bodyEnd = .apart
            return
        }
        contentLength = info.contentLength
        guard info.coding.isTransferKnown else {
            // RFC 9112, section 6.1: where such a body ends nobody knows.
            failure = fail(
                .protocol, "the transfer coding of the answer is none of HTTP's", "check what answers at the address")
            return
        }
        if contentLength == nil, !info.coding.isChunked, isSecure, place?.multiplexes != true {
            easy?.watchEnd()
        }
        // How these are read is not known here.
        isChunked = info.coding.isChunked
        if isChunked || contentLength == 0 { bodyEnd = .apart }
        callOfHead = easy?.multi.calls ?? 0
        let isContentCoded = decodes && info.coding.isContentCoded
        if decodes, info.coding.isStated { head.headerFields[.contentEncoding] = nil }
        if isContentCoded { head.headerFields[.contentLength] = nil }
        let isEmpty = contentLength == 0 && info.coding.isTransferIdentity
        if isContentCoded || info.coding.isTransferCoded, !isEmpty {
            coded = CodedBody(
                info.coding, length: contentLength, maximumRatio: options.maximumDecodingRatio,
                endsWithConnection: contentLength == nil && !isChunked && place?.multiplexes != true)
            easy?.watchWire()
            return
        }
        if let length = contentLength, length > allowance { failure = excess }
        if let length = contentLength, info.coding.isTransferIdentity {
            // What names its codings, and names none, libcurl reads to the end of the connection.
            endsItself = true
            allowance = min(allowance, length - 1)
        }
    }

    private var excess: HTTPClientError {
        if let limit = options.maximumBodySize, allowance == limit {
            return fail(
                .tooLarge, "the body has more than \(limit) bytes", .raiseBodyLimit)
        }
        return fail(
            .tooLarge,
            "the body unpacks to more than \(options.maximumDecodingRatio ?? 0) times what was sent",
            .raiseDecodingRatio
        )
    }

    /// Whether a response that says how long it is has come as it says, as most do; ``shortfall`` tells it of others.
    var isPlainlyWhole: Bool {
        guard failure == nil, parser.hasHead else { return false }
        if isBodyless { return true }
        guard let contentLength else { return false }
        guard let coded else { return received >= contentLength }
        return coded.size >= contentLength && coded.isProvenWhole(decoded: received)
    }

    /// What is missing at an end that libcurl takes for a good one: some releases do so where an HTTP/2 stream is cut,
    /// and all where what they decode is.
    var shortfall: HTTPClientError? {
        guard parser.hasHead else {
            return fail(.connectionLost, "the connection ended within the head of the answer", .tryAgain)
        }
        if let length = contentLength, coded.map({ $0.size > 0 ? $0.size : length }) ?? received < length {
            return fail(.connectionLost, "the answer is shorter than its head says", .tryAgain)
        }
        if easy?.isCutOff == true {
            return fail(
                .connectionLost,
                "the connection ended without TLS saying so, and nothing else tells whether the answer is whole",
                .tryAgain
            )
        }
        guard let coded, !coded.isWhole(decoded: received) else { return nil }
        guard contentLength != nil || coded.isChunked else {
            return fail(.connectionLost, "the connection ended before the compressed answer was complete", .tryAgain)
        }
        phase = .decoding
        return fail(
            .decoding, "the compressed answer does not end where its data does", .askUncompressed)
    }

    /// Whether memory that libcurl did not find was for what it unpacks.
    var isUnpacking: Bool { coded != nil }
}

/// How the end of a response's body came.
enum BodyEnd {
    /// It has not come.
    case ahead
    /// In one piece and in the same call of libcurl as the end of the head, and so most likely in the same piece from the server,
    /// as what a server sends by mistake behind it.
    case withHead
    /// Later, or nobody knows when.
    case apart
}
