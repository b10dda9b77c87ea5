import FreshetHTTP
import HTTPTypes

// What comes of the answer; called by libcurl.
extension CurlTransfer {
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
        gatherIfWanted()
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
        if isLast { noteEnd(in: bytes) }
        handOn(bytes, isLast: isLast)
        return true
    }

    /// The last bytes of a body that libcurl does not know the length of.
    private func takeEnd(_ bytes: UnsafeRawBufferPointer) {
        let surplus = received - (contentLength ?? received)
        received -= surplus
        handOn(UnsafeRawBufferPointer(rebasing: bytes.dropLast(surplus)), isLast: true)
    }

    /// What comes at once is handed on in one piece anyway.
    private func gatherIfWanted() {
        if let contentLength, contentLength <= BodyPieces.cut { return }
        let limit = receiver.wholeBodyLimit(of: number)
        if limit > 0 { whole = WholeBody(limit: limit, length: contentLength, from: &transport.pool.bodies.kept) }
    }

    private func handOn(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
        if whole != nil {
            if whole?.take(bytes) == true { return }
            handOnWhole()
        }
        // Held by the transport.
        lent(transport.pool) { $0.handOn(bytes, of: self, isLast: isLast) }
    }

    /// Hands on what has been put together.
    func handOnWhole() {
        guard let body = whole.take()?.bytes, !body.isEmpty else { return }
        transport.pool.bodies.kept.keep(body)
        emit(.body(body))
    }

    /// Bytes of a body that is decoded, before that is done.
    func received(onWire bytes: UnsafeRawBufferPointer) {
        guard let coded else { return }
        coded.take(bytes)
        allowance = min(options.maximumBodySize ?? .max, coded.allowance)
        if let contentLength, coded.size >= contentLength { noteEnd(in: bytes) }
        // Decoded it is handed on right after this.
        if coded.hasAll { transport.pool.submit(.hasCome(self)) }
    }

    /// All of the body has come. Of what is behind it libcurl knows if it was read with the head: then as much is read as there
    /// is. Later it reads no more than the length, and what was not asked for would be the answer to the next request.
    ///
    /// What is read comes to the beginning of libcurl's memory, which is a multiple of 16, and the body goes on from there in
    /// pieces of 16 KiB. One that came with its head begins elsewhere, and needs no look at the socket.
    private func noteEnd(in bytes: UnsafeRawBufferPointer) {
        if bytes.count == received, coded == nil {
            guard CurlMemory.mayBegin(with: bytes) else { return }
        } else {
            guard UInt(bitPattern: bytes.baseAddress) % 16 == 0 else { return }
        }
        isEndApart = true
        if isSecure, place?.multiplexes != true { easy?.endWithAnswerIfMoreCame() }
    }

    @inline(__always)
    private func line(_ bytes: UnsafeRawBufferPointer) -> ResponseHeadParser.Output {
        // Held by the transfer while it runs.
        lent(ifAny: place) { parser.line(bytes, $0.heads) } ?? parser.line(bytes)
    }

    private func begin(_ head: inout HTTPResponse, _ info: ResponseHeadParser.Info) {
        isBodyless = info.status == 204 || info.status == 304 || request.method == .head
        guard !isBodyless else {
            // A server that sends a body all the same may send it a moment later.
            isEndApart = true
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
        isEndApart = isChunked || contentLength == 0
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

    /// Whether an answer that says how long it is has come as it says, as most do; of others ``shortfall`` knows.
    var isPlainlyWhole: Bool {
        guard failure == nil, coded == nil, parser.hasHead, let contentLength else { return false }
        return received >= contentLength
    }

    /// What is missing at an end that libcurl takes for a good one; 7.88.1 does so where an HTTP/2 stream is cut, and every
    /// release where what it decodes is.
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
