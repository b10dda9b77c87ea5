import Freshet
import Synchronization

/// One request of `run`, from its line of input to its line of output. An exchange handles one request at a time, and is reused
/// for the next.
final class LineExchange: ObserverType, Sendable {
    // A strong reference: the flow drops its exchanges at its end.
    private let flow: RequestFlow
    private let client: HTTPClient
    /// How many events wait for their turn on the loop. Nearly all events arrive on the loop and do not wait.
    private let underWay = Atomic<Int>(0)
    private let state: LoopBound<State>

    init(of flow: RequestFlow, by client: HTTPClient) {
        self.flow = flow
        self.client = client
        state = .sending(State(), on: flow.loop)
    }

    var response: ResponseLine { state.value.response }

    /// The line of output while it waits for the lines before it; `nil` otherwise.
    var text: [UInt8]? {
        get { state.value.text }
        set { state.value.text = newValue }
    }

    /// Sends the request. It calls ``RequestFlow/ended(_:)`` exactly once, possibly before this method returns.
    func begin(_ line: RequestLine) {
        state.value = State(line, at: flow.loop.now)
        switch line.request {
        case .failure(let error):
            state.value.refuse(error)
            flow.ended(self)
        case .success(let request):
            state.value.collector = ResponseCollector(
                limit: client.configuration.maximumBodySize, origin: request.url.origin)
            let subscription = client.events(request).subscribe(self)
            if state.value.isOver { subscription.dispose() } else { state.value.subscription = subscription }
        }
    }

    /// Drops the response, which may be large.
    func forget() {
        state.value = State()
    }

    func pause() { (state.value.subscription as? any Pausable)?.pause() }
    func resume() { (state.value.subscription as? any Pausable)?.resume() }

    /// Cancels the request. The exchange does not report its end to the flow.
    func cancel() {
        state.value.isOver = true
        state.value.subscription.take()?.dispose()
    }

    /// Ends the request with an error, unless it has ended.
    func stop() {
        receive(
            .error(
                HTTPClientError(
                    .cancelled, phase: response.attempts == 0 ? .queued : response.head == nil ? .waiting : .receiving,
                    message: "a signal ended the command before the response was complete",
                    recoverySuggestion: .sendAgainIfHarmless)))
    }

    func on(_ event: Event<RequestEvent>) {
        // A waiting event must not be overtaken.
        if flow.loop.isCurrent, underWay.load(ordering: .relaxed) == 0 { return receive(event) }
        underWay.add(1, ordering: .relaxed)
        flow.loop.execute {
            self.underWay.subtract(1, ordering: .relaxed)
            self.receive(event)
        }
    }

    private func receive(_ event: Event<RequestEvent>) {
        guard let subscription = state.value.apply(event, at: flow.loop.now) else { return }
        subscription.dispose()
        flow.ended(self)
    }
}

extension LineExchange {
    /// The state of the request.
    private struct State {
        private(set) var response = ResponseLine()
        private var line: RequestLine?
        var collector: ResponseCollector?
        var subscription: (any Disposable)?
        private var started = Instant(sinceStart: .zero)
        /// How many attempts ended before anything was sent.
        private var unsent = 0
        /// How many times the transport has sent the request once more by itself.
        private var resent = 0
        /// Whether the current attempt has begun, and nothing of it was sent or received yet.
        private var hasJustBegun = false
        var isOver = true
        var text: [UInt8]?

        init() {}

        init(_ line: RequestLine, at now: Instant) {
            self.line = line
            response = ResponseLine(id: line.id)
            started = now
            isOver = false
        }

        /// Ends the request with `error`, because its line is invalid.
        mutating func refuse(_ error: HTTPClientError) {
            response.error = error
            isOver = true
        }

        /// - Returns: the subscription to dispose of, at the end of the request; `nil` before.
        mutating func apply(_ event: Event<RequestEvent>, at now: @autoclosure () -> Instant) -> (any Disposable)? {
            if isOver { return nil }
            do {
                switch event {
                case .next(let event):
                    record(event)
                    try collector?.receive(event)
                    return nil
                case .error(let error): throw error
                case .completed: response.body = try collector?.finish().body
                }
            } catch {
                fail(error)
            }
            isOver = true
            collector = nil
            response.duration = started.duration(to: now())
            return subscription.take() ?? Disposables.create()
        }

        private mutating func record(_ event: RequestEvent) {
            switch event {
            case .attempt(let number, let request):
                response.attempts = number - unsent + resent
                hasJustBegun = true
                response.refreshes = request.tags[AppliedCredential.self]?.replays ?? response.refreshes
            case .head(let head, let url):
                response.head = head
                response.url = url
                hasJustBegun = false
            case .redirect:
                hasJustBegun = false
            case .phase(.requestSent): hasJustBegun = false
            case .phase(.layer(.sentAgain)):
                resent += 1
                response.attempts += 1
                hasJustBegun = false
            case .phase(.cache(let status)):
                response.cache = status
            case .retry(_, .failure(let error)):
                leaveOut(error)
            default: break
            }
        }

        /// Removes an attempt that failed before anything was sent from the number of attempts.
        private mutating func leaveOut(_ error: any Error) {
            guard hasJustBegun, let error = error as? HTTPClientError, error.isUnsent || error.phase.isBeforeSending
            else { return }
            hasJustBegun = false
            unsent += 1
            response.attempts -= 1
        }

        private mutating func fail(_ error: any Error) {
            let error = error as? HTTPClientError ?? HTTPClientError(.protocol, phase: .receiving, message: "\(error)")
            leaveOut(error)
            if response.head == nil, let received = error.response {
                response.head = received.head
                // The bodies of other responses are not complete.
                if error.code.isAboutCredential { response.body = received.body }
            }
            response.error = line?.located(error)
        }
    }
}

extension HTTPClientError.Code {
    /// Whether a response arrived, but there was no credential to repeat its request with.
    fileprivate var isAboutCredential: Bool {
        [.loginRequired, .refreshFailed, .refreshStorm, .stepUpRequired, .store].contains(self)
    }
}
