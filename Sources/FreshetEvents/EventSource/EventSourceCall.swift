import FreshetCore
import FreshetHTTP
import HTTPTypes
import Synchronization

/// One subscription to an event stream: does what the ``EventSourceStateMachine`` says.
///
/// Whatever happens, on whichever thread, arrives through the drain; all state is touched there.
final class EventSourceCall: Pausable, @unchecked Sendable {
    private enum Signal {
        case start
        case request(Event<RequestEvent>, connection: Int)
        case waited(connection: Int)
        /// When it was to come, which the clock of a scheduler may show a moment later.
        case overdue(connection: Int, due: Instant)
        case refused(connection: Int)
        case hold(Bool)
        case dispose
    }

    // First what each piece of an answer meets: where there are thousands of streams, it comes from far each time.
    private let drain = Drain<Signal>()
    /// Set before the drain gets to it, so that a subscriber that leaves at one event stops what would follow it.
    private let isDisposed = Atomic<Bool>(false)
    @exclusivity(unchecked) private var isOver = false
    @exclusivity(unchecked) private var isOpen = false
    @exclusivity(unchecked) private var isHeld = false
    /// No event is anything but an event.
    private let isPlain: Bool
    /// The number of the connection that is under way: what an earlier one says is stale.
    @exclusivity(unchecked) private var connection = 0
    private let output: EventSourceOutput
    @exclusivity(unchecked) private var watchdog: (any Disposable)?
    @exclusivity(unchecked) private var machine: EventSourceStateMachine
    @exclusivity(unchecked) private var parser: ServerSentEventParser

    @exclusivity(unchecked) private var refusal: EventStreamRefusal?
    @exclusivity(unchecked) private var actions: [EventSourceStateMachine.Action] = []
    @exclusivity(unchecked) private var lastLife: Instant
    @exclusivity(unchecked) private var current: (any Disposable)?
    @exclusivity(unchecked) private var delay: (any Disposable)?
    @exclusivity(unchecked) private var closing: (any Disposable)?
    private let openTimeout: Duration?
    let source: EventSource

    init(_ source: EventSource, for output: EventSourceOutput) {
        self.source = source
        self.output = output
        openTimeout = source.request.timeout ?? source.client.configuration.timeout
        isPlain = source.settings.takesEventsAsTheyAre
        machine = EventSourceStateMachine(source.settings, isOneShot: source.request.isOneShot)
        parser = ServerSentEventParser(lastEventID: source.lastEventID, limit: source.settings.maximumEventSize)
        lastLife = source.client.scheduler.now
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() { drain.submit(.start, to: handle) }

    func dispose() {
        if !isDisposed.exchange(true, ordering: .acquiringAndReleasing) { drain.submit(.dispose, to: handle) }
    }

    func pause() { drain.submit(.hold(true), to: handle) }
    func resume() { drain.submit(.hold(false), to: handle) }

    /// What a connection says.
    func take(_ event: Event<RequestEvent>, of connection: Int) {
        guard drain.enter() else { return drain.submit(.request(event, connection: connection), to: handle) }
        if !isOver, connection == self.connection { hear(event) }
        drain.leave(to: handle)
    }

    private func handle(_ signal: Signal) {
        if isOver { return }
        switch signal {
        case .start: take(HTTPFields.canHold(source.lastEventID) ? .start : .refused(located(Self.senselessID)))
        case .request(let event, connection): hear(event)
        case .waited(connection): take(.waited)
        case .overdue(connection, let due): checkLife(at: max(now, due))
        case .refused(connection): take(.refused(located(Self.shuttingDown)))
        case .hold(let isHeld):
            self.isHeld = isHeld
            if !isHeld { lastLife = now }
            forwardHold()
        case .dispose: finish()
        case .request, .waited, .overdue, .refused: break
        }
    }

    private func hear(_ event: Event<RequestEvent>) {
        do {
            if case .next(.body(let bytes)) = event, refusal == nil {
                try deliver(bytes)
            } else {
                receive(event)
            }
        } catch {
            take(.failed(located(error)))
        }
    }

    private func receive(_ event: Event<RequestEvent>) {
        switch event {
        case .next(.head(let head, let url)):
            let verdict = EventStreamHead(head, from: url)
            if case .stream = verdict { isOpen = true }
            parser.origin = url.origin.description
            lastLife = now
            watch()
            refusal = EventStreamRefusal(head, verdict)
            if refusal == nil { take(.answered(head, verdict)) }
        case .next(.body(let bytes)):
            if refusal?.take(bytes) == true { endRefusal() }
        case .next(.credentialChanged(let change)):
            take(.credentialChanged(change, hasID: !parser.lastEventID.isEmpty))
        case .next: break
        case .error where refusal != nil, .completed where refusal != nil: endRefusal()
        case .error(let error): take(.failed(error))
        case .completed where isOpen && source.settings.requiresTerminator: take(.failed(located(cutShort)))
        case .completed: take(.ended)
        }
    }

    private func endRefusal() {
        if let refusal { take(refusal.input) }
    }

    private func deliver(_ bytes: [UInt8]) throws {
        if watchdog != nil { lastLife = now }
        machine.noteLife()
        /// What is to follow the events, and that nothing more is looked at.
        var ending: EventSourceStateMachine.Input?
        defer { if let ending { take(ending) } }
        try parser.parse(bytes, comment: { if ending == nil { tell(.comment($0)) } }) { event in
            if ending != nil { return }
            switch isPlain ? .event(isLast: false) : source.settings.meaning(of: event) {
            case .event(let isLast):
                machine.noteDelivery()
                tell(event)
                if isLast { ending = .terminated }
            case .sign: break
            case .end: ending = .terminated
            case .failure(let error): ending = .reported(located(error))
            }
        }
    }

    private func tell(_ event: ServerSentEvent) {
        if !isDisposed.load(ordering: .acquiring) { output.tell(event) }
    }

    private func tell(_ signal: EventSource.Signal) {
        if !isDisposed.load(ordering: .acquiring) { output.tell(signal) }
    }

    private func take(_ input: EventSourceStateMachine.Input) {
        if let time = parser.reconnectionTime { machine.noteReconnectionTime(time) }
        machine.take(input, &actions)
        var index = 0
        while index < actions.count, !isOver, !isDisposed.load(ordering: .acquiring) {
            perform(actions[index])
            index += 1
        }
        actions.removeAll(keepingCapacity: true)
    }

    private func perform(_ action: EventSourceStateMachine.Action) {
        switch action {
        case .connect:
            connect()
        case .cancel:
            leaveConnection()
        case .wait(let time):
            delay = schedule(after: time, .waited(connection: connection))
            // What is under way hears of it by itself.
            closing = source.client.closing.subscribe { [self, connection] _ in
                drain.submit(.refused(connection: connection), to: handle)
            }
        case .emit(let signal):
            output.tell(signal)
        case .finish:
            finish()
            if !isDisposed.exchange(true, ordering: .acquiringAndReleasing) { output.complete() }
        case .fail(let error):
            finish()
            if !isDisposed.exchange(true, ordering: .acquiringAndReleasing) { output.fail(with: error) }
        }
    }

    private func connect() {
        leaveConnection()
        parser = ServerSentEventParser(lastEventID: parser.lastEventID, limit: source.settings.maximumEventSize)
        lastLife = now
        watch()
        current = source.client.events(request()).subscribe(EventSourceConnection(call: self, number: connection))
        forwardHold()
    }

    private func request() -> Request {
        var request = source.request
        request.headers.askForEvents(after: parser.lastEventID)
        // What the request may take is counted here, until its answer begins.
        request.timeout = .never
        var transfer = request.transfer ?? source.client.configuration.transfer
        if request.transfer == nil {
            // What bounds an answer that ends is no bound for one that does not.
            transfer.totalTimeout = nil
            transfer.maximumBodySize = nil
        }
        transfer.isLongLived = true
        transfer.idleTimeout = nil
        request.transfer = transfer
        return request
    }

    private func leaveConnection() {
        connection += 1
        isOpen = false
        refusal = nil
        for work in [current, delay, watchdog, closing] { work?.dispose() }
        (current, delay, watchdog, closing) = (nil, nil, nil, nil)
    }

    private func forwardHold() {
        guard let current = current as? any Pausable else { return }
        if isHeld { current.pause() } else { current.resume() }
    }

    private func finish() {
        isOver = true
        leaveConnection()
    }
}

extension EventSourceCall {
    private var now: Instant { source.client.scheduler.now }

    /// How long nothing may come: before the head, and after it.
    private var patience: Duration? { isOpen ? source.settings.idleTimeout : openTimeout }

    private func watch() {
        watchdog?.dispose()
        watchdog = patience.map { checkLife(after: $0) }
    }

    private func checkLife(after time: Duration) -> any Disposable {
        schedule(after: time, .overdue(connection: connection, due: now.advanced(by: time)))
    }

    /// One timer a while, and none a piece of the answer: when it fires, it is set again for what is left.
    private func checkLife(at now: Instant) {
        guard let patience else { return }
        if isHeld { lastLife = now }
        let left = patience - lastLife.duration(to: now)
        guard left <= .zero else {
            return watchdog = checkLife(after: left)
        }
        if refusal != nil { return endRefusal() }
        let message =
            isOpen
            ? "nothing came on the event stream for \(patience), not even a comment"
            : "no answer began within \(patience)"
        take(
            .failed(
                HTTPClientError(
                    .timeout, phase: isOpen ? .receiving : .waiting, origin: source.request.url.origin.description,
                    message: message, remedy: .allowMoreTime)))
    }

    private func schedule(after time: Duration, _ signal: Signal) -> any Disposable {
        source.client.scheduler.scheduleRelative((), dueTime: time) { [self] in
            drain.submit(signal, to: handle)
            return Disposables.create()
        }
    }
}
