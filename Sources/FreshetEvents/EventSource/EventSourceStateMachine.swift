import FreshetCore
import FreshetHTTP
import HTTPTypes

/// The life of an event stream as a value: inputs go in, and actions come out. It has no clock, no stream and no
/// thread.
struct EventSourceStateMachine {
    enum Input {
        case start
        /// The response has begun.
        case headReceived(HTTPResponse, EventStreamHead)
        /// The event that marks the end of the stream has arrived.
        case terminated
        /// The server has ended the response.
        case ended
        case failed(any Error)
        /// Nothing has arrived for too long after the head.
        case silent(any Error)
        /// The event reports an error.
        case reported(any Error)
        /// The last event ID can't be sent, or the client accepts no more requests.
        case refused(any Error)
        /// `hasID` is true if there is a last event ID.
        case credentialChanged(CredentialChange, hasID: Bool)
        /// The delay before the next connection, or before an outdated one is replaced, is over. `hasID` is true if there is a
        /// last event ID.
        case waited(hasID: Bool)
    }

    enum Action {
        case connect
        /// Drops the connection.
        case cancel
        case wait(Duration)
        case emit(EventSource.Signal)
        case finish
        case fail(any Error)
    }

    private enum State {
        case idle, connecting
        /// Once the connection is outdated, it is replaced after a random wait.
        case open(isOutdated: Bool)
        case waiting, closed
    }

    // The first properties are used for each piece of a response.
    private var state = State.idle
    private var hasReceivedData = false
    private var hasDelivered = false
    private var wasOpen = false
    /// How many connections in a row received nothing, and how many of these failed. A comment counts as something.
    private var silent = (count: 0, failures: 0)
    /// The latest reconnection time that the server has set.
    private var reconnectionTime: Duration
    private let settings: EventSource.Settings
    private let isOneShot: Bool

    /// - Parameter isOneShot: whether the request may be sent only once.
    init(_ settings: EventSource.Settings, isOneShot: Bool) {
        self.settings = settings
        self.isOneShot = isOneShot
        reconnectionTime = settings.reconnectionTime
    }

    var isOpen: Bool { if case .open = state { true } else { false } }

    /// Records that data has arrived on the connection, including comments.
    mutating func recordActivity() {
        if isOpen { hasReceivedData = true }
    }

    /// Records that an event was delivered.
    mutating func recordDelivery() {
        if isOpen { hasDelivered = true }
    }

    /// Records a reconnection time that the server has set.
    mutating func reconnectionTimeReceived(_ time: Duration) {
        reconnectionTime = max(time, settings.minimumReconnectionTime)
    }

    /// Ignores all further inputs.
    mutating func dispose() { state = .closed }

    /// Handles an input and appends the actions, in order.
    mutating func apply(_ input: Input, _ actions: inout [Action]) {
        switch (state, input) {
        case (.idle, .start), (.waiting, .waited):
            connect(&actions)
        case (.connecting, .headReceived(let head, .stream)):
            state = .open(isOutdated: false)
            wasOpen = true
            actions.append(.emit(.open(head)))
        case (.connecting, .headReceived(_, .stop)), (.open, .terminated):
            close(&actions)
        case (.connecting, .headReceived(let head, .none(let error))):
            // A successful response of another type is a wrong address.
            if head.status == .ok { close(with: error, &actions) } else { fail(with: error, &actions) }
        case (.connecting, .ended), (.open, .ended):
            if isRepeated { reconnect(dueTo: .ended, &actions) } else { close(&actions) }
        case (.connecting, .failed(let error)), (.open, .failed(let error)):
            fail(with: error, &actions)
        case (.open, .silent(let error)):
            // The server works on a response that is produced once, and would begin another one.
            if settings.reconnection == .untilFirstEvent {
                close(with: error, &actions)
            } else {
                fail(with: error, &actions)
            }
        case (.open, .reported(let error)):
            // The server has a problem, even if it sent data before.
            hasReceivedData = false
            fail(with: error, &actions)
        case (.idle, .refused(let error)), (.waiting, .refused(let error)):
            close(with: error, &actions)
        case (.open(isOutdated: false), .credentialChanged(let change, let hasID)):
            // Without an ID, the events between the two connections would be lost.
            if hasID || !hasDelivered { outdate(by: change, &actions) }
        case (.open, .waited(hasID: false)) where hasDelivered:
            state = .open(isOutdated: false)
        case (.open, .waited):
            actions += [.cancel, .emit(.reconnecting(after: .zero, dueTo: .credentialChanged))]
            connect(&actions)
        default:
            break
        }
    }

    /// Whether the connection has delivered something. A response that is produced once counts only its events, and is
    /// not requested again after the first.
    private var countsAsSuccess: Bool { hasReceivedData && settings.reconnection != .untilFirstEvent }

    /// Whether a stream that has ended without an error is requested again.
    private var isRepeated: Bool {
        !isOneShot && (settings.reconnection == .always || settings.reconnection == .onceOpen)
    }

    private func isToReconnect(after error: any Error) -> Bool {
        if (error as? HTTPClientError)?.underlying is SessionEnded { return false }
        if isOneShot, (error as? HTTPClientError)?.isUnsent != true { return false }
        return switch settings.reconnection {
        case .never: false
        case .untilFirstEvent: !hasDelivered
        case .onceOpen: wasOpen
        case .always: true
        }
    }

    private mutating func fail(with error: any Error, _ actions: inout [Action]) {
        if countsAsSuccess { silent = (0, 0) }
        if settings.isTransient(error), isToReconnect(after: error), silent.failures < settings.retryLimit ?? .max {
            reconnect(dueTo: .failed(error), &actions)
        } else {
            close(with: error, &actions)
        }
    }

    private mutating func connect(_ actions: inout [Action]) {
        state = .connecting
        hasReceivedData = false
        actions += [.emit(.connecting), .connect]
    }

    private mutating func reconnect(dueTo reason: EventSource.Reason, _ actions: inout [Action]) {
        if countsAsSuccess { silent = (0, 0) }
        let delay = max(reconnectionTime + jitter, retryAfter(reason) ?? .zero)
        silent.count += 1
        if case .failed = reason { silent.failures += 1 }
        state = .waiting
        actions += [.cancel, .emit(.reconnecting(after: delay, dueTo: reason)), .wait(delay)]
    }

    /// The delay that a refusal asks for, at most an hour.
    private func retryAfter(_ reason: EventSource.Reason) -> Duration? {
        guard case .failed(let error) = reason, let response = (error as? HTTPClientError)?.response else { return nil }
        return response.headers.retryDelay(at: settings.secondsSince1970()).map { min($0, .seconds(3600)) }
    }

    /// Keeps the connection until the random wait is over, so that the streams of a credential do not reconnect all at
    /// once.
    private mutating func outdate(by change: CredentialChange, _ actions: inout [Action]) {
        switch (settings.reopening, change) {
        case (.onExpiry, .expired), (.onReplacement, _):
            // A response that is produced once is not requested again.
            guard isRepeated else { return }
            state = .open(isOutdated: true)
            silent = (0, 0)
            actions.append(.wait(jitter))
        case (.never, _), (.onExpiry, .replaced):
            break
        }
    }

    /// "Optionally, wait some more. In particular, if the previous attempt failed, then user agents might introduce an
    /// exponential backoff delay": full jitter, by default of 1 s, 2 s, 4 s … 30 s.
    private var jitter: Duration {
        let unit = min(settings.backoff, max(reconnectionTime, .milliseconds(10)))
        return min(settings.maximumBackoff, unit * (1 << min(silent.count, 16))) * settings.random()
    }

    private mutating func close(with error: (any Error)? = nil, _ actions: inout [Action]) {
        state = .closed
        actions += [.cancel, .emit(.closed), error.map { .fail($0) } ?? .finish]
    }
}
