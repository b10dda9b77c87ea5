import FreshetHTTP
import HTTPTypes

/// Reads a response: its head, the framing of its body, and the size of the body so far.
///
/// It does not depend on connections. Source: RFC 9112 section 6.
struct ResponseReader {
    /// The code, the message and the recovery suggestion for a wrong response.
    typealias Problem = CurlError.Meaning

    /// The position of a piece within the body.
    enum Piece {
        case more
        /// The body is complete with this piece, as far as the head states it.
        case last
        /// The body ends before the last bytes of the piece. libcurl would read on to the end of the connection.
        case lastBeforeSurplus(Int)
        case tooMuch(Problem)
    }

    private let maximumBodySize: Int?
    private let maximumRatio: Int?
    private var parser: ResponseHeadParser
    /// The status of the head; 0 before it has come.
    private(set) var status = 0
    /// The length that the head states.
    private(set) var contentLength: Int?
    /// The number of bytes of the decoded body that have come.
    private(set) var received = 0
    private(set) var isChunked = false
    /// The frames of a chunked body that is not ``coded``, as far as the transfer watches the wire.
    private(set) var chunks = ChunkedFrames(mayBeRemoved: RemovedChunkFrames.arePossible)
    /// Whether the response ends before the end of the connection, for which libcurl would wait.
    private(set) var isSelfDelimiting = false
    /// Whether the response has no body, whatever its head states.
    private(set) var isBodyless = false
    /// The number of received bytes above which the body is checked again.
    private var allowance: Int
    /// The progress of a body that libcurl decodes; `nil` for other bodies.
    private(set) var coded: CodedBody?
    private(set) var bodyEnd = BodyEnd.pending
    /// The number of libcurl's call that handed out the end of the head.
    private var callOfHead = 0

    init(_ options: TransferOptions) {
        maximumBodySize = options.maximumBodySize
        maximumRatio = options.maximumDecodingRatio
        parser = ResponseHeadParser(maximumSize: options.maximumHeadSize)
        allowance = options.maximumBodySize ?? .max
    }

    /// Whether any line has come, of an interim head too.
    var hasBegun: Bool { parser.hasBegun }
    var hasHead: Bool { parser.hasHead }
    var isInHead: Bool { parser.isInHead }
    var trailers: HTTPFields? { parser.trailers }
    /// Whether no body follows, and libcurl does not know it.
    var endsWithHead: Bool { isSelfDelimiting && contentLength == 0 }

    // MARK: The head

    /// Parses whole lines, of one head at most.
    mutating func receive(lines bytes: UnsafeRawBufferPointer, _ cache: HeaderCache?) -> ResponseHeadParser.Output {
        parser.lines(bytes, cache)
    }

    /// Forgets the head of a response after which the request is sent again.
    mutating func forgetHead() {
        parser = ResponseHeadParser(maximumSize: parser.maximumSize)
        status = 0
    }

    /// Reads from the head how the body is framed, and removes the fields that do not apply to the decoded body.
    ///
    /// - Parameters:
    ///   - isForHead: whether the request's method is HEAD.
    ///   - decodes: whether libcurl decodes the body.
    ///   - call: the number of libcurl's call.
    mutating func begin(
        _ head: inout HTTPResponse, _ info: borrowing ResponseHeadParser.Info, isForHead: Bool, decodes: Bool,
        in call: Int
    ) -> Problem? {
        status = info.status
        isBodyless = status == 204 || status == 304 || isForHead
        guard !isBodyless else {
            // A server that sends a body nevertheless can send it a moment later.
            bodyEnd = .separate
            return nil
        }
        contentLength = info.contentLength
        guard info.coding.isTransferKnown, !(info.coding.isTransferCoded && TransferCodings.areMisread) else {
            // RFC 9112, section 6.1: the end of such a body is unknown.
            return (
                .protocol, "the transfer coding of the response cannot be decoded",
                "check which server runs at the address"
            )
        }
        // libcurl does not report when it reads the end of such a body.
        isChunked = info.coding.isChunked
        if isChunked || contentLength == 0 { bodyEnd = .separate }
        callOfHead = call
        let isContentCoded = decodes && info.coding.isContentCoded
        if decodes, info.coding.isStated { head.headerFields[.contentEncoding] = nil }
        if isContentCoded { head.headerFields[.contentLength] = nil }
        let isEmpty = contentLength == 0 && info.coding.isTransferIdentity
        if isContentCoded || info.coding.isTransferCoded, !isEmpty {
            coded = CodedBody(info.coding, length: contentLength, maximumRatio: maximumRatio)
            return nil
        }
        let problem = contentLength.flatMap { $0 > allowance ? excess : nil }
        if let contentLength, info.coding.isTransferIdentity {
            // libcurl reads to the end of the connection if the head names transfer codings and all of them are `identity`.
            isSelfDelimiting = true
            allowance = min(allowance, contentLength - 1)
        }
        return problem
    }

    /// Whether the head does not state where the body ends. Over HTTP/1.1, the end of the connection ends the body.
    var isEndedByConnection: Bool { !isBodyless && contentLength == nil && !isChunked }

    // MARK: The body

    mutating func receive(body bytes: UnsafeRawBufferPointer, in call: Int) -> Piece {
        received += bytes.count
        if received > allowance {
            guard isSelfDelimiting else { return .tooMuch(excess) }
            let surplus = received - (contentLength ?? received)
            received -= surplus
            return .lastBeforeSurplus(surplus)
        }
        guard coded == nil, received == contentLength else { return .more }
        recordEnd(isOnePiece: bytes.count == received, in: call)
        return .last
    }

    /// Processes bytes of a body before libcurl decodes them and removes the frames of chunks.
    ///
    /// - Returns: whether a body with a length is complete with these bytes.
    mutating func receive(onWire bytes: UnsafeRawBufferPointer, in call: Int) -> Bool {
        if isChunked, coded == nil { chunks.process(bytes) { _ in } }
        coded?.process(bytes)
        guard let coded else { return false }
        allowance = min(maximumBodySize ?? .max, coded.allowance)
        guard let contentLength, coded.size >= contentLength else { return false }
        recordEnd(isOnePiece: bytes.count == coded.size, in: call)
        return true
    }

    private mutating func recordEnd(isOnePiece: Bool, in call: Int) {
        bodyEnd = isOnePiece && call == callOfHead ? .withHead : .separate
    }

    private var excess: Problem {
        if let limit = maximumBodySize, allowance == limit {
            return (.tooLarge, "the body has more than \(limit) bytes", .raiseBodyLimit)
        }
        return (
            .tooLarge, "the body unpacks to more than \(maximumRatio ?? 0) times what was sent", .raiseDecodingRatio
        )
    }
}

/// When the end of a response's body arrived.
enum BodyEnd {
    /// The end has not arrived.
    case pending
    /// In one piece and in the same call of libcurl as the end of the head. The server most likely sent both in one piece,
    /// together with anything that it sends after the body by mistake.
    case withHead
    /// Later, or at an unknown time.
    case separate
}
