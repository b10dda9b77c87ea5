public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// An answer to one request, down to the byte and the moment.
///
/// It is built from a plain answer by steps, each of which returns a changed one:
/// `ScriptedAnswer(status: .ok, body: "hello").after(.seconds(1)).cut(after: 3)`.
public struct ScriptedAnswer: Sendable {
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
        case hold(Hold)
        case informational(HTTPResponse)
        case head
        case piece([UInt8], times: Int)
        case stream(Observable<[UInt8]>)
        case end
        case raw([UInt8], times: Int)
        case pace(Pace)
        case stay
        case replace(Single<ScriptedAnswer>)
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

extension ScriptedAnswer {
    /// An answer with a JSON text as its body.
    public static func json(_ text: String, status: HTTPResponse.Status = .ok) -> ScriptedAnswer {
        ScriptedAnswer(status: status, headers: [.contentType: "application/json"], body: text)
    }

    /// A body of `piece` over and over, which is never in memory as a whole; `.max` times is a body without an end.
    public static func repeating(_ piece: [UInt8], times: Int, headers: HTTPFields = [:]) -> ScriptedAnswer {
        var answer = ScriptedAnswer(headers: headers)
        if times > 0, !piece.isEmpty { answer.content = [.piece(piece, times: times)] }
        return answer
    }

    /// A body that comes from a stream, in chunks. The stream is subscribed to when the head is out, paused when the
    /// receiver falls behind, and disposed of when it leaves; if the stream fails, the connection is reset.
    public static func streaming(
        _ pieces: Observable<[UInt8]>, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> ScriptedAnswer {
        var answer = ScriptedAnswer(status: status, headers: headers)
        answer.content = [.stream(pieces)]
        return answer
    }

    /// The answer that `answer` gives, when it does; if that fails, the connection is reset.
    public static func later(_ answer: Single<ScriptedAnswer>) -> ScriptedAnswer {
        ScriptedAnswer(instead: [.replace(answer)])
    }

    /// The answer that is passed to the completion which `work` gets, whenever and from whichever thread.
    public static func later(
        _ work: @escaping @Sendable (@escaping @Sendable (ScriptedAnswer) -> Void) -> Void
    ) -> ScriptedAnswer {
        .later(
            .create { observer in
                work { observer(.success($0)) }
                return Disposables.create()
            })
    }

    /// The end of the connection in place of an answer.
    public static var close: ScriptedAnswer { ScriptedAnswer(instead: [.close]) }

    /// A reset of the connection in place of an answer.
    public static var reset: ScriptedAnswer { ScriptedAnswer(instead: [.reset]) }

    /// A failure of the transport; a server resets the connection.
    public static func failure(_ error: HTTPClientError) -> ScriptedAnswer {
        ScriptedAnswer(instead: [.fail(error)])
    }

    /// A failure of the transport in this phase, with a message that says it was scripted.
    public static func failure(
        _ code: HTTPClientError.Code, in phase: HTTPClientError.Phase, isUnsent: Bool = false
    ) -> ScriptedAnswer {
        .failure(
            HTTPClientError(
                code, phase: phase, message: "the failure was scripted", remedy: "see the answers of the test",
                isUnsent: isUnsent))
    }

    /// No answer and no end, until the client leaves.
    public static var silence: ScriptedAnswer { ScriptedAnswer(instead: [.hold(Hold())]) }
}
