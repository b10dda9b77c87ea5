import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The life of an event stream as a value: what happened goes in, what to do comes out. No clock, no stream, no thread.
struct EventSourceStateMachine {
    enum Input {
        case start
        /// The answer has begun.
        case answered(HTTPResponse, EventStreamHead)
        /// The event came that says that there are no more.
        case terminated
        /// The server has ended the answer.
        case ended
        case failed(any Error)
        /// An event came that is an error.
        case reported(any Error)
        /// There is nothing to ask with, or the client takes no more requests.
        case refused(any Error)
        /// With whether there is a last event ID.
        case credentialChanged(CredentialChange, hasID: Bool)
        /// The delay is over.
        case waited
    }

    enum Action {
        case connect
        /// Leaves the connection.
        case cancel
        case wait(Duration)
        case emit(EventSource.Signal)
        case finish
        case fail(any Error)
    }

    private enum State {
        case idle, connecting, open, waiting, closed
    }

    // First what each piece of an answer meets.
    private var state = State.idle
    private var hasLived = false
    private var hasDelivered = false
    private var wasOpen = false
    private var isOutdated = false
    /// How many connections in a row brought nothing.
    private var failures = 0
    /// As the server said last.
    private var reconnectionTime: Duration
    private let settings: EventSource.Settings
    private let isOneShot: Bool

    /// - Parameter isOneShot: whether the request may be put on the wire once only.
    init(_ settings: EventSource.Settings, isOneShot: Bool) {
        self.settings = settings
        self.isOneShot = isOneShot
        reconnectionTime = settings.reconnectionTime
    }

    /// Something has come on the connection, comments too.
    mutating func recordActivity() {
        if state == .open { hasLived = true }
    }

    /// An event was delivered.
    mutating func recordDelivery() {
        if state == .open { hasDelivered = true }
    }

    /// The server has named a reconnection time.
    mutating func reconnectionTimeReceived(_ time: Duration) {
        reconnectionTime = max(time, settings.minimumReconnectionTime)
    }

    /// Takes what happened and appends what to do, in order.
    mutating func apply(_ input: Input, _ actions: inout [Action]) {
        switch (state, input) {
        case (.idle, .start), (.waiting, .waited):
            connect(&actions)
        case (.connecting, .answered(let head, .stream)):
            state = .open
            wasOpen = true
            actions.append(.emit(.open(head)))
        case (.connecting, .answered(_, .stop)), (.open, .terminated):
            close(&actions)
        case (.connecting, .answered(_, .none(let error))):
            close(with: error, &actions)
        case (.connecting, .ended), (.open, .ended):
            if isRepeated { reconnect(dueTo: .ended, &actions) } else { close(&actions) }
        case (.connecting, .failed(let error)), (.open, .failed(let error)):
            fail(with: error, &actions)
        case (.open, .reported(let error)):
            // However much came before it, the server is in trouble.
            hasLived = false
            fail(with: error, &actions)
        case (.idle, .refused(let error)), (.waiting, .refused(let error)):
            close(with: error, &actions)
        case (.open, .credentialChanged(let change, let hasID)):
            // Without an ID, what comes between the two connections would be lost.
            if hasID || !hasDelivered { outdate(by: change, &actions) }
        case (.open, .waited):
            actions += [.cancel, .emit(.reconnecting(after: .zero, dueTo: .credentialChanged))]
            connect(&actions)
        default:
            break
        }
    }

    /// Whether the connection has brought something. What is produced once has when it is delivered, and then it is not
    /// asked for again.
    private var hasHelped: Bool { hasLived && settings.reconnection != .untilFirstEvent }

    /// Whether a stream that has ended well is asked for again.
    private var isRepeated: Bool {
        !isOneShot && (settings.reconnection == .always || settings.reconnection == .onceOpen)
    }

    private func isToReconnect(after error: any Error) -> Bool {
        if isOneShot, (error as? HTTPClientError)?.isUnsent != true { return false }
        return switch settings.reconnection {
        case .never: false
        case .untilFirstEvent: !hasDelivered
        case .onceOpen: wasOpen
        case .always: true
        }
    }

    private mutating func fail(with error: any Error, _ actions: inout [Action]) {
        if hasHelped { failures = 0 }
        if settings.isTransient(error), isToReconnect(after: error), failures < settings.retryLimit ?? .max {
            reconnect(dueTo: .failed(error), &actions)
        } else {
            close(with: error, &actions)
        }
    }

    private mutating func connect(_ actions: inout [Action]) {
        state = .connecting
        hasLived = false
        isOutdated = false
        actions += [.emit(.connecting), .connect]
    }

    private mutating func reconnect(dueTo reason: EventSource.Reason, _ actions: inout [Action]) {
        if hasHelped { failures = 0 }
        // A stream that ends with its credential has to be opened with the new one; the server is not in trouble.
        let delay = (isOutdated && hasHelped ? .zero : reconnectionTime) + jitter
        failures += 1
        state = .waiting
        actions += [.cancel, .emit(.reconnecting(after: delay, dueTo: reason)), .wait(delay)]
    }

    /// The connection is kept until the random wait is over, so that all streams of a credential do not come at once.
    private mutating func outdate(by change: CredentialChange, _ actions: inout [Action]) {
        switch (settings.reopening, change) {
        case (.onExpiry, .expired), (.onReplacement, _):
            // What was produced once is not asked for again.
            guard !isOutdated, isRepeated else { return }
            isOutdated = true
            failures = 0
            actions.append(.wait(jitter))
        case (.never, _), (.onExpiry, .replaced):
            break
        }
    }

    /// "Optionally, wait some more. In particular, if the previous attempt failed, then user agents might introduce an
    /// exponential backoff delay": full jitter, by default of 1 s, 2 s, 4 s … 30 s.
    private var jitter: Duration {
        let unit = min(settings.backoff, max(reconnectionTime, .milliseconds(10)))
        return min(settings.maximumBackoff, unit * (1 << min(failures, 16))) * settings.random()
    }

    private mutating func close(with error: (any Error)? = nil, _ actions: inout [Action]) {
        state = .closed
        actions += [.cancel, .emit(.closed), error.map { .fail($0) } ?? .finish]
    }
}
