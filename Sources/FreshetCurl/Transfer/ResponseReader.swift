import FreshetHTTP
import HTTPTypes

/// What has come of a response: its head, how its body is framed, and how much of the body there is.
///
/// It knows nothing of connections. Source: RFC 9112 section 6.
struct ResponseReader {
    /// What is wrong with a response.
    typealias Problem = CurlError.Meaning

    /// What a piece of the body comes to.
    enum Piece {
        case more
        /// All of the body has come with it, as far as the head tells.
        case last
        /// The body ends before the last bytes of the piece; libcurl would read on to the end of the connection.
        case lastBeforeSurplus(Int)
        case tooMuch(Problem)
    }

    private let maximumBodySize: Int?
    private let maximumRatio: Int?
    private var parser: ResponseHeadParser
    /// As the head states it.
    private(set) var contentLength: Int?
    /// How much of the body has come, decoded.
    private(set) var received = 0
    private(set) var isChunked = false
    /// libcurl would wait for the end of the connection, and the response ends before.
    private(set) var endsItself = false
    /// The response has no body, whatever it says.
    private(set) var isBodyless = false
    /// How much of the body may have come before it is looked at again.
    private var allowance: Int
    /// Set while libcurl decodes the body.
    private(set) var coded: CodedBody?
    private(set) var bodyEnd = BodyEnd.ahead
    /// Which of the calls of libcurl handed out the end of the head.
    private var callOfHead = 0

    init(_ options: TransferOptions) {
        maximumBodySize = options.maximumBodySize
        maximumRatio = options.maximumDecodingRatio
        parser = ResponseHeadParser(maximumSize: options.maximumHeadSize)
        allowance = options.maximumBodySize ?? .max
    }

    var hasHead: Bool { parser.hasHead }
    var trailers: HTTPFields? { parser.hasTrailers ? parser.trailers : nil }
    /// Nothing of a body is to come, and libcurl does not know it.
    var endsWithHead: Bool { endsItself && contentLength == 0 }

    // MARK: The head

    /// Takes whole lines, of one head at most.
    mutating func receive(lines bytes: UnsafeRawBufferPointer, _ cache: HeaderCache?) -> ResponseHeadParser.Output {
        parser.lines(bytes, cache)
    }

    /// Forgets the response, which was not the one to the request.
    mutating func forgetHead() { parser = ResponseHeadParser(maximumSize: parser.maximumSize) }

    /// Takes from the head what it says of the body, and from its fields what is not so any more once the body is decoded.
    ///
    /// - Parameters:
    ///   - isForHead: whether the request's method is HEAD.
    ///   - decodes: whether libcurl decodes the body.
    ///   - sharesConnection: whether the response is a stream of an HTTP/2 connection.
    ///   - call: the number of libcurl's call.
    mutating func begin(
        _ head: inout HTTPResponse, _ info: borrowing ResponseHeadParser.Info, isForHead: Bool, decodes: Bool,
        sharesConnection: Bool, in call: Int
    ) -> Problem? {
        isBodyless = info.status == 204 || info.status == 304 || isForHead
        guard !isBodyless else {
            // A server that sends a body all the same may send it a moment later.
            bodyEnd = .apart
            return nil
        }
        contentLength = info.contentLength
        guard info.coding.isTransferKnown else {
            // RFC 9112, section 6.1: where such a body ends nobody knows.
            return (
                .protocol, "the transfer coding of the response is none of HTTP's",
                "check which server runs at the address"
            )
        }
        // How these are read is not known here.
        isChunked = info.coding.isChunked
        if isChunked || contentLength == 0 { bodyEnd = .apart }
        callOfHead = call
        let isContentCoded = decodes && info.coding.isContentCoded
        if decodes, info.coding.isStated { head.headerFields[.contentEncoding] = nil }
        if isContentCoded { head.headerFields[.contentLength] = nil }
        let isEmpty = contentLength == 0 && info.coding.isTransferIdentity
        if isContentCoded || info.coding.isTransferCoded, !isEmpty {
            coded = CodedBody(
                info.coding, length: contentLength, maximumRatio: maximumRatio,
                endsWithConnection: isEndedByConnection && !sharesConnection)
            return nil
        }
        let problem = contentLength.flatMap { $0 > allowance ? excess : nil }
        if let contentLength, info.coding.isTransferIdentity {
            // What names its codings, and names none, libcurl reads to the end of the connection.
            endsItself = true
            allowance = min(allowance, contentLength - 1)
        }
        return problem
    }

    /// Whether nothing in the head says where the body ends. Over HTTP/1.1 the end of the connection does.
    var isEndedByConnection: Bool { !isBodyless && contentLength == nil && !isChunked }

    // MARK: The body

    mutating func receive(body bytes: UnsafeRawBufferPointer, in call: Int) -> Piece {
        received += bytes.count
        if received > allowance {
            guard endsItself else { return .tooMuch(excess) }
            let surplus = received - (contentLength ?? received)
            received -= surplus
            return .lastBeforeSurplus(surplus)
        }
        guard coded == nil, received == contentLength else { return .more }
        recordEnd(isOnePiece: bytes.count == received, in: call)
        return .last
    }

    /// Takes bytes of a body that is decoded, before that is done.
    ///
    /// - Returns: whether all of the body has come with them.
    mutating func receive(onWire bytes: UnsafeRawBufferPointer, in call: Int) -> Bool {
        coded?.process(bytes)
        guard let coded else { return false }
        allowance = min(maximumBodySize ?? .max, coded.allowance)
        guard let contentLength, coded.size >= contentLength else { return false }
        recordEnd(isOnePiece: bytes.count == coded.size, in: call)
        return true
    }

    private mutating func recordEnd(isOnePiece: Bool, in call: Int) {
        bodyEnd = isOnePiece && call == callOfHead ? .withHead : .apart
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
