import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The state of one subscription to an event stream. It receives signals, and queues the actions to perform, in order.
///
/// The ``EventSourceStateMachine`` decides. This type has the parser, the current connection, and the time of its last activity.
struct EventSourceState {
    enum Signal: Sendable {
        case start
        case request(Event<RequestEvent>, connection: Int)
        case waited(connection: Int)
        /// When the signal was due. The clock of a scheduler may show a slightly later time.
        case overdue(connection: Int, due: Instant)
        case refused(connection: Int)
    }

    let source: EventSource
    private var machine: EventSourceStateMachine
    var parser: ServerSentEventParser
    /// Whether the connection is paused when a signal is applied.
    var hold = Hold()
    /// The number of the current connection. Signals of earlier connections are stale.
    private(set) var connection = 0
    var current: (any Disposable)?
    var watchdog: (any Disposable)?
    var delay: (any Disposable)?
    var closing: (any Disposable)?
    /// A response that is not an event stream, and the beginning of its body.
    private var refusal: (head: HTTPResponse, response: RefusedResponse)?
    /// A change of the credential under which the current attempt was sent, reported before its head.
    private var earlyChange: CredentialChange?
    /// The attempt of the current connection, for errors.
    private var location = AttemptLocation()
    /// Whether the request of a connection was sent, or may have been.
    private var wasSent = false
    private var lastActivity: Instant
    private let openTimeout: Duration?
    /// Whether every event is delivered and has no other meaning.
    private let isPlain: Bool
    /// Whether the subscriber gets the states besides the events.
    private let emitsStates: Bool
    private var actions = EventSourceQueue<Action>()
    /// What the subscriber gets when it resumes the stream.
    private var held = EventSourceQueue<Action>()

    init(_ source: EventSource, emitsStates: Bool, at now: Instant) {
        self.emitsStates = emitsStates
        self.source = source
        openTimeout = source.request.timeout ?? source.client.configuration.timeout
        isPlain = source.settings.deliversAllEvents
        machine = EventSourceStateMachine(source.settings, isOneShot: source.request.isOneShot)
        parser = ServerSentEventParser(lastEventID: source.lastEventID, limit: source.settings.maximumEventSize)
        lastActivity = now
    }

    /// Whether elements wait for the resume.
    var holdsElements: Bool { !held.isEmpty }

    /// Returns the next action to perform; `nil` if none is left. A piece of the response holds many events. Those that a
    /// subscriber has not received when it pauses the stream wait for the resume, and a stop event waits behind them.
    mutating func popAction(isPaused: Bool) -> Action? {
        if !isPaused, let action = held.popFirst() { return action }
        while let action = actions.popFirst() {
            guard isPaused, action.isElement || (action.isStop && holdsElements) else { return action }
            held.append(action)
        }
        return nil
    }

    mutating func apply(_ signal: Signal, at now: Instant) {
        switch signal {
        case .start:
            apply(
                HTTPFields.canHold(source.lastEventID)
                    ? .start : .refused(source.located(EventSource.invalidLastEventID)),
                at: now)
        case .request(let event, connection): receive(event, at: now)
        case .waited(connection): apply(.waited(hasID: hasID), at: now)
        case .overdue(connection, let due): checkTimeout(at: max(now, due))
        case .refused(connection): apply(.refused(source.located(EventSource.shuttingDown)), at: now)
        case .request, .waited, .overdue, .refused: break
        }
    }

    /// Drops the actions that would follow, when a subscriber disposes during an event.
    mutating func dispose() {
        actions.removeAll { if case .leave = $0 { false } else { true } }
        held.removeAll { _ in true }
        machine.dispose()
        dropConnection()
    }

    private var hasID: Bool { !parser.lastEventID.isEmpty }

    private mutating func apply(_ input: EventSourceStateMachine.Input, at now: Instant) {
        if let time = parser.reconnectionTime { machine.reconnectionTimeReceived(time) }
        switch input {
        case .headReceived, .ended: wasSent = true
        case .failed(let error): if (error as? HTTPClientError)?.isUnsent != true { wasSent = true }
        default: break
        }
        var actions: [EventSourceStateMachine.Action] = []
        machine.apply(input, &actions)
        for action in actions { perform(action, at: now) }
    }

    private mutating func perform(_ action: EventSourceStateMachine.Action, at now: Instant) {
        switch action {
        case .connect:
            dropConnection()
            location = AttemptLocation()
            parser = ServerSentEventParser(lastEventID: parser.lastEventID, limit: source.settings.maximumEventSize)
            lastActivity = now
            watch(at: now)
            actions.append(.connect(source.request(after: parser.lastEventID), connection: connection))
        case .cancel: dropConnection()
        case .wait(let time): actions.append(.wait(connection: connection, time))
        case .emit(let signal):
            // The limit changes with the head.
            if case .open = signal { watch(at: now) }
            if emitsStates { actions.append(.emit(signal)) }
        case .finish: actions.append(.complete)
        case .fail(let error): actions.append(.fail(aboutAllConnections(source.located(error, at: location))))
        }
    }

    /// Returns the error of the stream, which has sent its request for each connection.
    private func aboutAllConnections(_ error: any Error) -> any Error {
        guard wasSent, var error = error as? HTTPClientError else { return error }
        error.isUnsent = false
        return error
    }

    private mutating func dropConnection() {
        connection += 1
        refusal = nil
        earlyChange = nil
        actions.append(.leave([current, delay, watchdog, closing].compactMap { $0 }))
        (current, delay, watchdog, closing) = (nil, nil, nil, nil)
    }
}

// The events of a connection.
extension EventSourceState {
    private mutating func receive(_ event: Event<RequestEvent>, at now: Instant) {
        do {
            if case .next(.body(let bytes)) = event, refusal == nil {
                try deliver(bytes, at: now)
            } else {
                try handle(event, at: now)
            }
        } catch {
            apply(.failed(source.located(error, at: location)), at: now)
        }
    }

    private mutating func handle(_ event: Event<RequestEvent>, at now: Instant) throws {
        if case .next(let event) = event { location.record(event) }
        if refusal?.response.receive(event) == true { return endRefusal(at: now) }
        switch event {
        case .next(.head(let head, let url)):
            let verdict = EventStreamHead(head, from: url)
            parser.begin(from: url.origin.description, decoder: source.client.configuration.decoder)
            lastActivity = now
            refusal = verdict.explainable(head).map { (head, RefusedResponse($0, client: source.client)) }
            if refusal == nil { apply(.headReceived(head, verdict), at: now) } else { watch(at: now) }
            if let earlyChange, machine.isOpen { apply(.credentialChanged(earlyChange, hasID: hasID), at: now) }
        case .next(.attempt): earlyChange = nil
        case .next(.retry(let delay, let outcome)) where isTooLong(delay, at: now): end(with: outcome, at: now)
        case .next(.credentialChanged(let change)):
            if !machine.isOpen { earlyChange = change }
            apply(.credentialChanged(change, hasID: hasID), at: now)
        case .next: break
        case .error(let error): apply(.failed(error), at: now)
        case .completed: try endResponse(at: now)
        }
    }

    private mutating func endResponse(at now: Instant) throws {
        if machine.isOpen, source.settings.endsLastEvent { try endLastEvent(at: now) }
        if machine.isOpen, source.settings.requiresTerminator {
            apply(.failed(source.located(source.cutShort, at: location)), at: now)
        } else {
            apply(.ended, at: now)
        }
    }

    /// Ends the last event if its last line is complete. A terminator needs no line end, because it can't be a part of
    /// another event.
    private mutating func endLastEvent(at now: Instant) throws {
        // A CR ends a line after any line end, unlike an LF, which would belong to a CR.
        let lineEnd = [UInt8.carriageReturn]
        try deliver(lineEnd, at: now)
        guard machine.isOpen, let terminator = source.settings.terminator else { return }
        // Parsed by a copy, because the ID of a cut event is discarded too.
        var rest = parser
        var hasTerminator = false
        try rest.parse(lineEnd) { hasTerminator = $0.data == terminator }
        if hasTerminator { apply(.terminated, at: now) }
    }

    /// Whether a wait before the request's next attempt would exceed the limit of the time until the head. Then it would only keep
    /// the outcome of the attempt from the subscriber.
    private mutating func isTooLong(_ delay: Duration, at now: Instant) -> Bool {
        openTimeout.map { delay >= timeLeft(of: $0, at: now) } ?? false
    }

    private mutating func end(with outcome: Attempt.Outcome, at now: Instant) {
        switch outcome {
        case .failure(let error): apply(.failed(source.located(error, at: location)), at: now)
        case .response(let response):
            let verdict = EventStreamHead(response.head, from: response.url)
            refusal = verdict.explainable(response.head).map {
                (response.head, RefusedResponse($0, client: source.client))
            }
            if refusal == nil { return apply(.headReceived(response.head, verdict), at: now) }
            _ = refusal?.response.receive(.next(.body(response.body)))
            endRefusal(at: now)
        }
    }

    private mutating func endRefusal(at now: Instant) {
        guard let (head, response) = refusal else { return }
        apply(.headReceived(head, .none(source.located(response.failure, at: location))), at: now)
    }

    private mutating func deliver(_ bytes: [UInt8], at now: Instant) throws {
        lastActivity = now
        machine.recordActivity()
        var emitted: [Action] = []
        var hasEvents = false
        /// The input after the events of this piece. Once it is set, the rest of the piece is ignored.
        var ending: EventSourceStateMachine.Input?
        var endID = ""
        defer {
            if hasEvents { machine.recordDelivery() }
            for action in emitted { actions.append(action) }
            if let ending {
                apply(ending, at: now)
                // The next connection asks for the events that were ignored.
                parser = ServerSentEventParser(lastEventID: endID, limit: source.settings.maximumEventSize)
            }
        }
        let (source, isPlain, emitsStates, location) = (source, isPlain, emitsStates, location)
        try parser.parse(bytes, comment: { if emitsStates, ending == nil { emitted.append(.emit(.comment($0))) } }) {
            event in
            if ending != nil { return }
            switch isPlain ? .event(isLast: false) : source.settings.meaning(of: event) {
            case .event(let isLast):
                hasEvents = true
                emitted.append(.event(event))
                if isLast { ending = .terminated }
            case .keepAlive: break
            case .end: ending = .terminated
            case .failure(let error): ending = .reported(source.located(error, at: location))
            }
            if ending != nil { endID = event.id }
        }
    }
}

// The limit of the time without any data.
extension EventSourceState {
    /// The limit before the head, and the limit after it.
    private var timeout: Duration? { machine.isOpen ? source.settings.idleTimeout : openTimeout }

    private mutating func watch(at now: Instant) {
        if let watchdog { actions.append(.leave([watchdog])) }
        watchdog = nil
        if let timeout { watch(for: timeout, at: now) }
    }

    private mutating func watch(for time: Duration, at now: Instant) {
        actions.append(.watch(connection: connection, after: time, due: now.advanced(by: time)))
    }

    /// A pause does not count.
    private mutating func timeLeft(of timeout: Duration, at now: Instant) -> Duration {
        if hold.isOn { lastActivity = now } else if let end = hold.lastEnd { lastActivity = max(lastActivity, end) }
        return timeout - lastActivity.duration(to: now)
    }

    /// One timer runs for each limit, and no timer is set for each piece. When the timer fires, it is set again for the time that
    /// is left.
    private mutating func checkTimeout(at now: Instant) {
        guard let timeout else { return }
        let left = timeLeft(of: timeout, at: now)
        guard left <= .zero else { return watch(for: left, at: now) }
        if refusal != nil { return endRefusal(at: now) }
        if machine.isOpen { return apply(.silent(source.silence(for: timeout)), at: now) }
        let error = source.noResponse(within: timeout, hasAttempt: location.attempt != nil)
        apply(.failed(source.located(error, at: location)), at: now)
    }
}
