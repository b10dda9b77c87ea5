public import FreshetCore
public import FreshetHTTP
import HTTPTypes
import Synchronization

/// A transport without a network. It plays a ``ResponseScript``, in virtual time if its scheduler is a virtual clock.
///
/// Everything that takes no time happens within the subscribing call. If the subscriber cancels before the response is
/// complete, the request is recorded in `abandoned`. If it pauses, the response waits and the request is recorded in
/// `paused`. A request without a scripted response fails with `invalidRequest` and is recorded in `unmatched`; the
/// error names the request and the routes.
///
/// A body ends where it ends on the wire, at the length that the head states, and a shorter body is a lost connection.
/// `TransferOptions.maximumBodySize` applies to it. A stub decodes nothing, and has none of the times of
/// `TransferOptions`: `Request.timeout` limits a response that does not come.
public final class StubTransport: Transport, ResponseScripted {
    public let script: ResponseScript
    private let scheduler: (any SchedulerType)?

    /// - Parameters:
    ///   - scheduler: the clock for the delays of responses; without one, delays take no time.
    ///   - script: the responses. Several transports and servers can share a script.
    public init(scheduler: (any SchedulerType)? = nil, script: ResponseScript = ResponseScript()) {
        self.scheduler = scheduler
        self.script = script
    }

    public func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        StubTransfer(request, to: receiver, script: script, scheduler: scheduler)
    }
}

/// One request to a stub. Its body is read as fast as it arrives, and blocking work of the body blocks the call.
// Unchecked: only work that the drain handles accesses `state`.
private final class StubTransfer: Transfer, @unchecked Sendable {
    private struct State {
        var body: [UInt8] = []
        /// The request as the script has recorded it, once it is complete.
        var recorded: RecordedRequest?
        var player: ResponsePlayer?
        var hasHead = false
        var hasBody = true
        var received = 0
        /// The number of bytes that are missing from the length that the head states.
        var missing: Int?
        /// Whether the response is complete when the connection ends.
        var endsWithConnection = false
        var isFinished = false
    }

    /// The size up to which the transport copies a body before it is sent, and reports no progress.
    private static let copyLimit = 64 * 1024

    private let request: Request
    private let receiver: any TransferReceiver
    private let script: ResponseScript
    private let scheduler: (any SchedulerType)?
    private let drain = Drain<@Sendable () -> Void>()
    private let preparation = SingleAssignmentDisposable()
    private let reading = SingleAssignmentDisposable()
    private let isPauseWanted = Atomic<Bool>(false)
    private let isLeft = Atomic<Bool>(false)
    private var state = State()

    init(
        _ request: Request, to receiver: any TransferReceiver, script: ResponseScript, scheduler: (any SchedulerType)?
    ) {
        self.request = request
        self.receiver = receiver
        self.script = script
        self.scheduler = scheduler
    }

    func start() {
        if isLeft.load(ordering: .acquiring) { return }
        preparation.setDisposable(
            request.prepared(by: receiver).subscribe { [self] result in
                switch result {
                case .success(let request): confine { self.send(request) }
                case .failure(let error): confine { self.end(error) }
                }
            })
    }

    func dispose() {
        isLeft.store(true, ordering: .releasing)
        confine {
            // Without a missing byte the response is complete, although its end has not been played.
            let isComplete = self.state.isFinished || (self.state.hasHead && self.state.missing == 0)
            if !isComplete, let recorded = self.state.recorded { self.script.recordAbandoned(recorded) }
            self.state.isFinished = true
            self.state.player.take()?.stop()
            self.preparation.dispose()
            self.reading.dispose()
        }
    }

    func pause() {
        isPauseWanted.store(true, ordering: .releasing)
        confine { self.hold() }
    }

    private func hold() {
        guard isPauseWanted.load(ordering: .acquiring) else { return }
        guard let recorded = state.recorded else { return reading.pause() }
        guard let player = state.player, !player.isPaused else { return }
        script.recordPaused(recorded)
        player.pause()
    }

    func resume() {
        isPauseWanted.store(false, ordering: .releasing)
        confine {
            if self.isPauseWanted.load(ordering: .acquiring) { return }
            self.reading.resume()
            self.state.player?.resume()
        }
    }

    private func confine(_ work: @escaping @Sendable () -> Void) {
        drain.submit(work) { $0() }
    }

    private func send(_ request: Request) {
        if isLeft.load(ordering: .acquiring) { return }
        do {
            sendChecked(try request.checked())
        } catch {
            end(HTTPClientError(ofBody: error, .preparing, request.url.origin.description))
        }
    }

    private func sendChecked(_ request: Request) {
        receiver.willSend(request)
        receiver.receive(.phase(.admitted))
        guard request.body.bytes == nil, case .source(let source) = request.body else {
            let body = request.body.bytes ?? []
            if body.count > Self.copyLimit { receiver.receive(.sent(bytes: body.count, of: body.count)) }
            return play(request, body: body)
        }
        reading.setDisposable(
            source.open().subscribe { [self] event in confine { self.receive(event, of: request) } })
    }

    /// Handles the next piece, or the end, of the request's body.
    private func receive(_ event: Event<[UInt8]>, of request: Request) {
        if isLeft.load(ordering: .acquiring) { return }
        switch event {
        case .next(let piece):
            state.body += piece
            receiver.receive(.sent(bytes: state.body.count, of: request.body.length))
        case .error(let error): end(HTTPClientError(ofBody: error, .sending, request.url.origin.description))
        case .completed: play(request, body: state.body)
        }
    }

    private func play(_ request: Request, body: [UInt8]) {
        if isLeft.load(ordering: .acquiring) { return }
        let recorded = script.record(
            RecordedRequest(
                method: request.method, target: request.url.pathAndQuery, origin: request.url.origin.description,
                headers: request.headers, body: body))
        let player = ResponsePlayer(
            script.response(to: recorded) ?? script.refusal(of: recorded), to: request.method, scheduler: scheduler,
            slowsPieces: true,
            confine: { [weak self] work in self?.confine(work) },
            output: { [weak self] output in self?.receive(output) })
        state.recorded = recorded
        state.player = player
        // The request has been sent, unless the script says that nothing of it is.
        if !player.failsUnsent { receiver.receive(.phase(.requestSent(bytes: body.count))) }
        if isLeft.load(ordering: .acquiring) { return }
        hold()
        player.play()
    }

    private func receive(_ output: ResponsePlayer.Output) {
        guard !state.isFinished else { return }
        deliver(output)
        // The receiver may have paused or cancelled in this part. That applies to the next part, which is played in the
        // same call.
        if isLeft.load(ordering: .acquiring) { state.player?.stop() } else { hold() }
    }

    private func deliver(_ output: ResponsePlayer.Output) {
        switch output {
        case .informational(let head):
            receiver.receive(.informational(head))
        case .head(let response):
            state.hasHead = true
            state.hasBody = response.hasBody(inResponseTo: request.method)
            state.endsWithConnection = response.endsWithConnection
            let head = response.head(for: request.method)
            state.missing = state.hasBody ? head.statedLength : 0
            if let length = state.missing, length > maximumBodySize { return failTooLarge() }
            receiver.receive(.head(head))
        case .piece(let bytes): receive(bytes)
        case .end(let response):
            if let missing = state.missing, missing > 0 { return failIncomplete() }
            if state.hasBody, !response.trailers.isEmpty { receiver.receive(.trailers(response.trailers)) }
            end(nil)
        case .pace: break
        case .close where state.endsWithConnection || state.missing == 0: end(nil)
        case .reset where state.missing == 0: end(nil)
        case .close, .reset: failIncomplete()
        case .raw, .stay:
            fail(.protocol, "what came is no HTTP", "check which server runs at this address")
        case .fail(var error):
            if error.origin.isEmpty { error.origin = request.url.origin.description }
            end(error)
        }
    }

    /// Delivers the bytes of the body up to the length that the head states. A client reads no further.
    private func receive(_ bytes: [UInt8]) {
        if state.missing == 0 { return end(nil) }
        let count = min(bytes.count, state.missing ?? .max)
        state.missing = state.missing.map { $0 - count }
        state.received += count
        if state.received > maximumBodySize { return failTooLarge() }
        receiver.receive(.body(count == bytes.count ? bytes : Array(bytes.prefix(count))))
    }

    private var maximumBodySize: Int { request.transfer?.maximumBodySize ?? .max }

    private func failTooLarge() {
        fail(.tooLarge, "the body has more than \(maximumBodySize) bytes", .raiseBodyLimit)
    }

    private func failIncomplete() {
        fail(.connectionLost, "the connection ended before the response was complete", .tryAgain)
    }

    private func fail(
        _ code: HTTPClientError.Code, _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion
    ) {
        end(
            HTTPClientError(
                code, phase: state.hasHead ? .receiving : .waiting, origin: request.url.origin.description,
                message: message, recoverySuggestion: recoverySuggestion))
    }

    private func end(_ failure: (any Error)?) {
        state.isFinished = true
        state.player.take()?.stop()
        preparation.dispose()
        reading.dispose()
        if !isLeft.load(ordering: .acquiring) { receiver.receiveEnd(failure) }
    }
}

extension HTTPResponse {
    /// The length of the body, if the head states one that applies. Source: RFC 9112 section 6.3.
    fileprivate var statedLength: Int? { headerFields.contains(.transferEncoding) ? nil : headerFields.contentLength }
}

extension ScriptedResponse {
    /// Returns the head as the client receives it, with the `Content-Length` of a body whose length is known.
    func head(for method: HTTPRequest.Method) -> HTTPResponse {
        var head = HTTPResponse(status: status, headerFields: headers)
        if framing == .automatic, trailers.isEmpty, hasBody, headers[.contentLength] == nil,
            headers[.transferEncoding] == nil, let length
        {
            head.headerFields[.contentLength] = String(length)
        }
        return head
    }

    /// Whether the status allows a body.
    private var hasBody: Bool { status.code >= 200 && status != .noContent && status != .notModified }

    /// Whether the response to a request with this method has a body. Source: RFC 9110 section 6.4.1.
    func hasBody(inResponseTo method: HTTPRequest.Method) -> Bool { hasBody && method != .head }

    /// Whether the end of the connection is the end of the body. Source: RFC 9112 section 6.3.
    var endsWithConnection: Bool {
        framing == .untilClose && headers[.contentLength] == nil && headers[.transferEncoding] == nil
    }
}
