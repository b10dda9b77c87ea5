public import FreshetCore
public import FreshetHTTP
public import HTTPTypes

/// A response to one request, in which the test determines each byte and its time.
///
/// It is built from a plain response by methods that each return a changed one:
/// `ScriptedResponse(status: .ok, body: "hello").after(.seconds(1)).truncated(after: 3)`.
public struct ScriptedResponse: Sendable {
    /// How the response marks the end of its body.
    public enum Framing: Sendable, Hashable {
        /// By `Content-Length` if the length is known and no trailers follow; otherwise in chunks.
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
    /// The fields after the body, which is sent in chunks if there are any.
    public var trailers: HTTPFields = [:]
    public var framing = Framing.automatic
    /// The steps before the head, or those in place of the response.
    var opening: [Step] = []
    /// The pieces and streams of the body.
    var content: [Step]
    /// The delay before each piece of the body except the first.
    var gap: Duration?
    /// Where the body waits for barriers: after these numbers of bytes.
    var holds: [(position: Int, barrier: Barrier)] = []
    /// The number of bytes after which the body is cut off.
    var cut: Int?
    var ending = Step.end
    /// Whether the connection ends after the response without an announcement.
    var closesSilently = false
    var hasHead = true

    /// Creates a response whose body is sent in `pieces`, all without a delay.
    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], pieces: [[UInt8]]) {
        self.status = status
        self.headers = headers
        content = pieces.filter { !$0.isEmpty }.map { .piece($0, times: 1) }
    }

    /// Creates a response with a text as its body.
    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: String = "") {
        self.init(status: status, headers: headers, pieces: [Array(body.utf8)])
    }

    init(instead steps: [Step]) {
        self.init(pieces: [])
        opening = steps
        hasHead = false
    }

    /// The steps up to the body.
    var steps: [Step] { opening + (hasHead ? [.head] : []) }

    /// The length of the body in bytes; `nil` if it is not known before the body is sent.
    var length: Int? {
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
    /// Creates a response with a JSON text as its body. Its type is `application/json` unless `headers` names one.
    public static func json(
        _ text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> ScriptedResponse {
        var headers = headers
        if !headers.contains(.contentType) { headers[.contentType] = "application/json" }
        return ScriptedResponse(status: status, headers: headers, body: text)
    }

    /// Creates a response whose body repeats `piece`. The body is never in memory as a whole. With `.max` times the
    /// body never ends.
    public static func repeating(_ piece: [UInt8], times: Int, headers: HTTPFields = [:]) -> ScriptedResponse {
        var response = ScriptedResponse(headers: headers)
        if times > 0, !piece.isEmpty { response.content = [.piece(piece, times: times)] }
        return response
    }

    /// Creates a response whose body comes from a stream, in chunks. The player subscribes to the stream after the
    /// head, pauses it when the receiver pauses, and disposes of it when the receiver cancels. If the stream fails, the
    /// connection is reset.
    public static func streaming(
        _ pieces: Observable<[UInt8]>, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> ScriptedResponse {
        var response = ScriptedResponse(status: status, headers: headers)
        response.content = [.stream(pieces)]
        return response
    }

    /// Sends the response that the single emits. If the single fails, the connection is reset.
    public static func deferred(_ response: Single<ScriptedResponse>) -> ScriptedResponse {
        ScriptedResponse(instead: [.replace(response)])
    }

    /// Sends the response that `work` passes to its completion, at any time and on any thread.
    @preconcurrency
    public static func deferred(
        _ work: @escaping @Sendable (@escaping @Sendable (ScriptedResponse) -> Void) -> Void
    ) -> ScriptedResponse {
        .deferred(
            .create { observer in
                work { observer(.success($0)) }
                return Disposables.create()
            })
    }

    /// Ends the connection in place of a response.
    public static var close: ScriptedResponse { ScriptedResponse(instead: [.close]) }

    /// Resets the connection in place of a response.
    public static var reset: ScriptedResponse { ScriptedResponse(instead: [.reset]) }

    /// Fails the transfer with `error`. A server resets the connection instead.
    public static func failure(_ error: HTTPClientError) -> ScriptedResponse {
        ScriptedResponse(instead: [.fail(error)])
    }

    /// Fails the transfer in `phase`, with a message that says that the failure was scripted.
    ///
    /// - Parameters:
    ///   - code: the code of the error.
    ///   - phase: how far the request has come.
    ///   - isUnsent: whether nothing of the request was sent, so that a request of any method can be sent again; `nil` is what the
    ///     live transport says of `phase`: `true` up to the handshake, and `false` from the sending on.
    public static func failure(
        _ code: HTTPClientError.Code, in phase: HTTPClientError.Phase, isUnsent: Bool? = nil
    ) -> ScriptedResponse {
        .failure(
            HTTPClientError(
                code, phase: phase, message: "the failure was scripted",
                recoverySuggestion: "see the responses of the test",
                isUnsent: isUnsent ?? phase.isBeforeSending))
    }

    /// Sends nothing, and keeps the connection open until the client closes it.
    public static var silence: ScriptedResponse { ScriptedResponse(instead: [.hold(Barrier())]) }
}
