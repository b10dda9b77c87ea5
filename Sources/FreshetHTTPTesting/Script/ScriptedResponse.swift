public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// An answer to one request, down to the byte and the moment.
///
/// It is built from a plain answer by steps, each of which returns a changed one:
/// `ScriptedResponse(status: .ok, body: "hello").after(.seconds(1)).cut(after: 3)`.
public struct ScriptedResponse: Sendable {
    /// How the end of the body is told.
    public enum Framing: Sendable, Hashable {
        /// By `Content-Length` where the length is known, and no trailers follow; else in chunks.
        case automatic
        /// Each piece is a chunk.
        case chunked
        /// By the end of the connection.
        case untilClose
    }

    enum Step: Sendable {
        case wait(Duration)
        case hold(Barrier)
        case informational(HTTPResponse)
        case head
        case piece([UInt8], times: Int)
        case stream(Observable<[UInt8]>)
        case end
        case raw([UInt8], times: Int)
        case pace(Pace)
        case stay
        case replace(Single<ScriptedResponse>)
        case close
        case reset
        case fail(HTTPClientError)
    }

    public var status: HTTPResponse.Status
    public var headers: HTTPFields
    /// The fields after the body, which goes in chunks then.
    public var trailers: HTTPFields = [:]
    public var framing = Framing.automatic
    /// What comes before the head, instead of the answer too.
    var opening: [Step] = []
    var content: [Step]
    /// What `Content-Length` says of a body that is cut off.
    var promisedLength: Int?
    var ending = Step.end
    /// Whether the connection ends after the answer without a word about it.
    var closesSilently = false
    var hasHead = true

    /// An answer whose body goes out in `pieces`, each at once.
    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], pieces: [[UInt8]]) {
        self.status = status
        self.headers = headers
        content = pieces.filter { !$0.isEmpty }.map { .piece($0, times: 1) }
    }

    /// An answer with a text as its body.
    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: String = "") {
        self.init(status: status, headers: headers, pieces: [Array(body.utf8)])
    }

    init(instead steps: [Step]) {
        self.init(pieces: [])
        opening = steps
        hasHead = false
    }

    /// The steps in order.
    var steps: [Step] { opening + (hasHead ? [.head] + content + [ending] : []) }

    /// How many bytes the body has, where that is known before it is sent.
    var length: Int? {
        if let promisedLength { return promisedLength }
        var length = 0
        for step in content {
            switch step {
            case .piece(let bytes, let times):
                let (count, isTooMuch) = bytes.count.multipliedReportingOverflow(by: times)
                let (sum, isOver) = length.addingReportingOverflow(count)
                if isTooMuch || isOver { return nil }
                length = sum
            case .stream: return nil
            default: break
            }
        }
        return length
    }
}

// MARK: Making

extension ScriptedResponse {
    /// An answer with a JSON text as its body.
    public static func json(_ text: String, status: HTTPResponse.Status = .ok) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: [.contentType: "application/json"], body: text)
    }

    /// A body of `piece` over and over, which is never in memory as a whole; `.max` times is a body without an end.
    public static func repeating(_ piece: [UInt8], times: Int, headers: HTTPFields = [:]) -> ScriptedResponse {
        var response = ScriptedResponse(headers: headers)
        if times > 0, !piece.isEmpty { response.content = [.piece(piece, times: times)] }
        return response
    }

    /// A body that comes from a stream, in chunks. The stream is subscribed to when the head is out, paused when the
    /// receiver falls behind, and disposed of when it leaves; if the stream fails, the connection is reset.
    public static func streaming(
        _ pieces: Observable<[UInt8]>, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> ScriptedResponse {
        var response = ScriptedResponse(status: status, headers: headers)
        response.content = [.stream(pieces)]
        return response
    }

    /// The answer that `response` gives, when it does; if that fails, the connection is reset.
    public static func later(_ response: Single<ScriptedResponse>) -> ScriptedResponse {
        ScriptedResponse(instead: [.replace(response)])
    }

    /// The answer that is passed to the completion which `work` gets, whenever and from whichever thread.
    public static func later(
        _ work: @escaping @Sendable (@escaping @Sendable (ScriptedResponse) -> Void) -> Void
    ) -> ScriptedResponse {
        .later(
            .create { observer in
                work { observer(.success($0)) }
                return Disposables.create()
            })
    }

    /// The end of the connection in place of an answer.
    public static var close: ScriptedResponse { ScriptedResponse(instead: [.close]) }

    /// A reset of the connection in place of an answer.
    public static var reset: ScriptedResponse { ScriptedResponse(instead: [.reset]) }

    /// A failure of the transport; a server resets the connection.
    public static func failure(_ error: HTTPClientError) -> ScriptedResponse {
        ScriptedResponse(instead: [.fail(error)])
    }

    /// A failure of the transport in this phase, with a message that says it was scripted.
    public static func failure(
        _ code: HTTPClientError.Code, in phase: HTTPClientError.Phase, isUnsent: Bool = false
    ) -> ScriptedResponse {
        .failure(
            HTTPClientError(
                code, phase: phase, message: "the failure was scripted",
                recoverySuggestion: "see the responses of the test",
                isUnsent: isUnsent))
    }

    /// No answer and no end, until the client leaves.
    public static var silence: ScriptedResponse { ScriptedResponse(instead: [.hold(Barrier())]) }
}
