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
        case overdue(connection: Int)
        case refused(connection: Int)
        case hold(Bool)
        case dispose
    }

    let source: EventSource
    private let client: HTTPClient
    private let openTimeout: Duration?
    private let observer: AnyObserver<EventSource.Signal>
    private let drain = Drain<Signal>()
    /// Set before the drain gets to it, so that a subscriber that leaves at one event stops what would follow it.
    private let isDisposed = Atomic<Bool>(false)

    private var machine: EventSourceStateMachine
    private var actions: [EventSourceStateMachine.Action] = []
    private var parser: ServerSentEventParser
    private var isOpen = false
    private var refusal: EventStreamRefusal?
    /// The connection that is under way, and its number: what an earlier one says is stale.
    private var current: (any Disposable)?
    private var connection = 0
    private var delay: (any Disposable)?
    private var watchdog: (any Disposable)?
    private var closing: (any Disposable)?
    private var lastLife: Instant
    private var isHeld = false
    private var isOver = false

    init(_ source: EventSource, by client: HTTPClient, for observer: AnyObserver<EventSource.Signal>) {
        self.source = source
        self.observer = observer
        openTimeout = source.request.timeout ?? client.configuration.timeout
        // What the request may take is counted here, until its answer begins.
        var configuration = client.configuration
        configuration.timeout = nil
        self.client = client.with(configuration: configuration)
        machine = EventSourceStateMachine(source.settings)
        parser = ServerSentEventParser(lastEventID: source.lastEventID, limit: source.settings.maximumEventSize)
        lastLife = client.scheduler.now
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() { drain.submit(.start, to: handle) }

    func dispose() {
        isDisposed.store(true, ordering: .releasing)
        drain.submit(.dispose, to: handle)
    }

    func pause() { drain.submit(.hold(true), to: handle) }
    func resume() { drain.submit(.hold(false), to: handle) }

    private func handle(_ signal: Signal) {
        if isOver { return }
        switch signal {
        case .start: take(.start)
        case .request(let event, connection):
            do {
                try receive(event)
            } catch {
                take(.failed(located(error)))
            }
        case .waited(connection): take(.waited)
        case .overdue(connection): checkLife()
        case .refused(connection): take(.refused(located(Self.shuttingDown)))
        case .hold(let isHeld):
            self.isHeld = isHeld
            if !isHeld { lastLife = client.scheduler.now }
            forwardHold()
        case .dispose: finish()
        case .request, .waited, .overdue, .refused: break
        }
    }

    private func receive(_ event: Event<RequestEvent>) throws {
        switch event {
        case .next(.head(let head, let url)):
            let verdict = EventStreamHead(head, from: url)
            if case .stream = verdict { isOpen = true }
            lastLife = client.scheduler.now
            watch()
            refusal = EventStreamRefusal(head, verdict)
            if refusal == nil { take(.answered(head, verdict)) }
        case .next(.body(let bytes)) where refusal != nil:
            if refusal?.take(bytes) == true { endRefusal() }
        case .next(.body(let bytes)):
            lastLife = client.scheduler.now
            take(.lived)
            try deliver(bytes)
        case .next(.credentialChanged(let change)):
            take(.credentialChanged(change, hasID: !parser.lastEventID.isEmpty))
        case .next: break
        case .error where refusal != nil, .completed where refusal != nil: endRefusal()
        case .error(let error): take(.failed(error))
        case .completed where isOpen && source.settings.requiresTerminator: take(.failed(located(Self.cutShort)))
        case .completed: take(.ended)
        }
    }

    private func endRefusal() {
        if let refusal { take(refusal.input) }
    }

    private func deliver(_ bytes: [UInt8]) throws {
        var hasDelivered = false
        /// What is to follow the events, and that nothing more is looked at.
        var ending: EventSourceStateMachine.Input?
        defer {
            if let time = parser.reconnectionTime { machine.reconnectionTime = time }
            if hasDelivered { take(.delivered) }
            if let ending { take(ending) }
        }
        try parser.parse(bytes, comment: { if ending == nil { tell(.comment($0)) } }) { event in
            if ending != nil { return }
            switch source.settings.meaning(of: event) {
            case .event(let isLast):
                hasDelivered = true
                tell(.event(event))
                if isLast { ending = .terminated }
            case .sign: break
            case .end: ending = .terminated
            case .failure(let error): ending = .reported(located(error))
            }
        }
    }

    private func tell(_ signal: EventSource.Signal) {
        if !isDisposed.load(ordering: .acquiring) { observer.onNext(signal) }
    }

    private func take(_ input: EventSourceStateMachine.Input) {
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
            closing = client.closing.subscribe { [self, connection] _ in
                drain.submit(.refused(connection: connection), to: handle)
            }
        case .emit(let signal):
            observer.onNext(signal)
        case .finish:
            observer.onCompleted()
            finish()
        case .fail(let error):
            observer.onError(error)
            finish()
        }
    }

    private func connect() {
        leaveConnection()
        parser = ServerSentEventParser(lastEventID: parser.lastEventID, limit: source.settings.maximumEventSize)
        lastLife = client.scheduler.now
        watch()
        let connection = connection
        current = client.events(request()).subscribe { [self] event in
            drain.submit(.request(event, connection: connection), to: handle)
        }
        forwardHold()
    }

    private func request() -> Request {
        var request = source.request
        request.headers.askForEvents(after: parser.lastEventID)
        request.timeout = nil
        var transfer = request.transfer ?? client.configuration.transfer
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
    /// How long nothing may come: before the head, and after it.
    private var patience: Duration? { isOpen ? source.settings.idleTimeout : openTimeout }

    private func watch() {
        watchdog?.dispose()
        watchdog = patience.map { schedule(after: $0, .overdue(connection: connection)) }
    }

    /// One timer a while, and none a piece of the answer: when it fires, it is set again for what is left.
    private func checkLife() {
        guard let patience else { return }
        if isHeld { lastLife = client.scheduler.now }
        let left = patience - lastLife.duration(to: client.scheduler.now)
        guard left <= .zero else {
            return watchdog = schedule(after: left, .overdue(connection: connection))
        }
        if refusal != nil { return endRefusal() }
        let message =
            isOpen
            ? "nothing came on the event stream for \(patience), not even a comment; try again or allow it more time"
            : "no answer began within \(patience); try again or allow it more time"
        take(
            .failed(
                HTTPClientError(
                    .timeout, phase: isOpen ? .receiving : .waiting, origin: source.request.url.origin.description,
                    message: message)))
    }

    private func schedule(after time: Duration, _ signal: Signal) -> any Disposable {
        client.scheduler.scheduleRelative((), dueTime: time) { [self] in
            drain.submit(signal, to: handle)
            return Disposables.create()
        }
    }
}
