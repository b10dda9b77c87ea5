public import FreshetCore
public import FreshetHTTP
import HTTPTypes
import Synchronization

/// A transport without a network: it plays an ``AnswerScript``, on virtual time if it is given a virtual clock.
///
/// Everything that takes no time happens within the subscribing call. Disposing of a subscription before the answer is
/// complete is recorded in `abandoned`; pausing it holds the answer and is recorded in `paused`. A request for which
/// nothing is scripted fails with `invalidRequest`, names itself and the routes, and is recorded in `unanswered`.
public final class StubTransport: Transport, AnswerScripted {
    public let script: AnswerScript
    private let scheduler: (any SchedulerType)?

    /// - Parameters:
    ///   - scheduler: the clock of the answers' delays; without one they take no time.
    ///   - script: the answers; one can be shared with others.
    public init(scheduler: (any SchedulerType)? = nil, script: AnswerScript = AnswerScript()) {
        self.scheduler = scheduler
        self.script = script
    }

    public func send(_ request: Request) -> Observable<ResponsePart> {
        guard let body = request.body.bytes else { return sendStreamed(request) }
        return answer(to: request, body)
    }

    /// The body is taken as fast as it comes; what blocks it does within the call.
    private func sendStreamed(_ request: Request) -> Observable<ResponsePart> {
        guard case .source(let source) = request.body else { return answer(to: request, []) }
        return .deferred { [self] in
            try source.check()
            let body = Locked<[UInt8]>([])
            let sent = source.open().map { piece in
                let count = body.withLock { body in
                    body += piece
                    return body.count
                }
                return ResponsePart.sent(bytes: count, of: source.length)
            }
            return sent.concat(Observable.deferred { self.answer(to: request, body.withLock { $0 }) })
        }
    }

    private func answer(to request: Request, _ body: [UInt8]) -> Observable<ResponsePart> {
        .create { [script, scheduler] observer in
            let recorded = script.record(
                RecordedRequest(
                    method: request.method, target: request.url.pathAndQuery, origin: request.url.origin.description,
                    headers: request.headers, body: body))
            let call = StubCall(recorded, script: script, observer: observer)
            call.start(script.answer(to: recorded) ?? script.refusal(of: recorded), scheduler: scheduler)
            return call
        }
    }
}

/// One subscription to a stubbed request.
// Unchecked: the state is touched under the drain alone.
private final class StubCall: Pausable, @unchecked Sendable {
    private let request: RecordedRequest
    private let script: AnswerScript
    private let observer: AnyObserver<ResponsePart>
    private let drain = Drain<@Sendable () -> Void>()
    private var player: AnswerPlayer?
    private var hasHead = false
    private var hasBody = true
    private var isFinished = false
    private let isPauseWanted = Atomic<Bool>(false)
    private let isLeft = Atomic<Bool>(false)

    init(_ request: RecordedRequest, script: AnswerScript, observer: AnyObserver<ResponsePart>) {
        self.request = request
        self.script = script
        self.observer = observer
    }

    func start(_ answer: ScriptedAnswer, scheduler: (any SchedulerType)?) {
        confine {
            let player = AnswerPlayer(
                answer, scheduler: scheduler, slowsPieces: true, confine: { [weak self] work in self?.confine(work) },
                output: { [weak self] output in self?.take(output) })
            self.player = player
            player.play()
        }
    }

    func dispose() {
        isLeft.store(true, ordering: .releasing)
        confine {
            if !self.isFinished {
                self.isFinished = true
                self.script.recordAbandoned(self.request)
            }
            self.player?.stop()
            self.player = nil
        }
    }

    func pause() {
        isPauseWanted.store(true, ordering: .releasing)
        confine { self.hold() }
    }

    private func hold() {
        guard isPauseWanted.load(ordering: .acquiring), let player, !player.isPaused else { return }
        script.recordPaused(request)
        player.pause()
    }

    func resume() {
        isPauseWanted.store(false, ordering: .releasing)
        confine { if !self.isPauseWanted.load(ordering: .acquiring) { self.player?.resume() } }
    }

    private func confine(_ work: @escaping @Sendable () -> Void) {
        drain.submit(work) { $0() }
    }

    private func take(_ output: AnswerPlayer.Output) {
        guard !isFinished else { return }
        deliver(output)
        // What the receiver has asked for within an element holds for the next one, which is played in the same go.
        if isLeft.load(ordering: .acquiring) { player?.stop() } else { hold() }
    }

    private func deliver(_ output: AnswerPlayer.Output) {
        switch output {
        case .informational(let head):
            observer.onNext(.informational(head))
        case .head(let answer):
            hasHead = true
            hasBody = answer.hasBody && request.method != .head
            observer.onNext(.head(answer.head(for: request.method)))
        case .piece(let bytes):
            if hasBody { observer.onNext(.body(bytes)) }
        case .end(let answer):
            isFinished = true
            if !answer.trailers.isEmpty { observer.onNext(.trailers(answer.trailers)) }
            observer.onCompleted()
        case .pace: break
        case .close, .reset:
            fail(.connectionLost, "the connection ended before the response was complete", .tryAgain)
        case .raw, .stay:
            fail(.protocol, "what came is no HTTP", "see what answers at this address")
        case .fail(var error):
            isFinished = true
            if error.origin.isEmpty { error.origin = request.origin }
            observer.onError(error)
        }
    }

    private func fail(_ code: HTTPClientError.Code, _ message: String, _ remedy: HTTPClientError.Remedy) {
        isFinished = true
        observer.onError(
            HTTPClientError(
                code, phase: hasHead ? .receiving : .waiting, origin: request.origin, message: message, remedy: remedy))
    }
}

extension ScriptedAnswer {
    /// The head as it arrives, with the `Content-Length` of a body whose length is known.
    func head(for method: HTTPRequest.Method) -> HTTPResponse {
        var head = HTTPResponse(status: status, headerFields: headers)
        if framing == .automatic, trailers.isEmpty, hasBody, headers[.contentLength] == nil,
            headers[.transferEncoding] == nil, let length
        {
            head.headerFields[.contentLength] = String(length)
        }
        return head
    }

    /// Whether the status allows a body. Source: RFC 9110 section 6.4.1.
    var hasBody: Bool { status.code >= 200 && status != .noContent && status != .notModified }
}
