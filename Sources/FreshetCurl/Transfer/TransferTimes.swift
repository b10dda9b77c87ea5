import FreshetCore
import FreshetHTTP
import FreshetLoop

/// The times of a transfer. One deadline serves all of its limits: they are checked when the deadline is reached, and no
/// timer is moved while bytes flow.
struct TransferTimes {
    /// The number of the deadline in the loop; 0 if there is none.
    var deadline: LoopDeadlines.Number = 0
    /// When the transfer was first launched.
    private(set) var start = Instant(sinceStart: .zero)
    /// Since when the transfer waits for a connection; `nil` once the request was sent on one.
    private(set) var connecting: Instant?
    /// When something was last sent or received, in milliseconds of the loop's clock.
    var activity: TransferStateMachine.Milliseconds = 0
    /// How much of the request's body was sent at the last check.
    fileprivate(set) var uploaded: Int64 = 0

    mutating func begin(_ now: Instant) {
        start = now
        beginConnecting(now)
    }

    /// The transfer needs a connection, for the first time or because its kept connection has ended.
    mutating func beginConnecting(_ now: Instant) {
        connecting = now
        progress(now)
    }

    mutating func endConnecting() { connecting = nil }

    /// libcurl begins to send the body from its beginning.
    mutating func beginSending() { uploaded = 0 }

    /// Records that the transfer makes progress at `now`.
    mutating func progress(_ now: Instant) {
        activity = now.sinceStart.millisecondsRoundedUp
    }

    fileprivate var latest: Instant { Instant(sinceStart: .milliseconds(activity)) }
}

extension TransferStateMachine {
    /// The progress of a transfer when one of its limits may have expired.
    struct Progress {
        let now: Instant
        /// The number of bytes of the body that were sent; `nil` if it does not matter. See ``needsUploaded``.
        let uploaded: Int64?
        /// When the latest header line came. The state gets some lines later.
        let latestLine: Milliseconds
        let isPauseWanted: Bool
        /// Whether a socket is connected to the server, or to the proxy if there is one.
        let isConnected: Bool
    }

    typealias Expiry = (due: Instant, message: String, recoverySuggestion: HTTPClientError.RecoverySuggestion)

    var needsUploaded: Bool { easy != nil && (stage == .sending || upload != nil) }

    /// The time at which the first limit expires in the present state, and the error for it.
    func expiry(_ progress: Progress) -> Expiry? {
        var first: Expiry?
        func consider(
            _ start: Instant, _ span: Duration?,
            _ reason: @autoclosure () -> (String, HTTPClientError.RecoverySuggestion)
        ) {
            guard let due = span.map({ start.advanced(by: $0) }), first.map({ due < $0.due }) ?? true else { return }
            let (message, recoverySuggestion) = reason()
            first = (due, message, recoverySuggestion)
        }
        consider(times.start, options.totalTimeout, ("the transfer took too long", .allowMoreTime))
        if let connecting = times.connecting {
            consider(connecting, options.connectTimeout, unconnected(progress))
            if stage == .securing {
                consider(
                    times.latest, options.tlsTimeout,
                    ("the TLS handshake took too long", "check that the port speaks TLS, or allow more time"))
            }
        } else {
            if isSent {
                consider(
                    times.latest, options.firstByteTimeout,
                    ("no response began in time", "try again, or allow more time for the first byte"))
            }
            consider(times.latest, options.idleTimeout, silent)
        }
        return first
    }

    /// The first time at which a limit can expire that does not apply yet. No event reports when such a limit begins to apply, so
    /// the transfer is checked again at that time.
    func nextCheck(_ now: Instant) -> Instant? {
        guard stage != .receiving, !isSent else { return nil }
        var first = options.firstByteTimeout
        func consider(_ span: Duration?) {
            if let span, first.map({ span < $0 }) ?? true { first = span }
        }
        if times.connecting != nil {
            consider(options.idleTimeout)
            if stage != .securing { consider(options.tlsTimeout) }
        }
        return first.map { now.advanced(by: $0) }
    }

    private func unconnected(_ progress: Progress) -> (String, HTTPClientError.RecoverySuggestion) {
        switch stage {
        case .resolving:
            return ("the host name was not resolved in time", "check the name server, or set the address yourself")
        case .securing:
            return ("the connection was not secured in time", "check that the port speaks TLS")
        default:
            guard let proxy = route?.proxy else {
                return ("no connection was made in time", "check that the server can be reached")
            }
            return progress.isConnected
                ? (
                    "no connection was made through the proxy \(proxy) in time", "check that it can reach the server"
                )
                : (
                    "no connection to the proxy \(proxy) was made in time", "check that it runs and can be reached"
                )
        }
    }

    private var silent: (String, HTTPClientError.RecoverySuggestion) {
        switch stage {
        case .sending: ("the server takes nothing more of the request", .tryAgain)
        case .waiting: ("the server has not begun to respond", "try again, or allow a longer silence")
        default: ("the server has been silent for too long", .tryAgain)
        }
    }

    /// Whether the whole request was sent, and no byte of the response has arrived.
    private var isSent: Bool {
        stage == .waiting || (stage == .sending && times.uploaded >= (request.body.length ?? .max))
    }

    /// Records the progress. Time in which the receiver pauses the transfer, or in which the request's body still moves, is
    /// not silence. The transfer waits for the response once the whole body was sent.
    mutating func record(_ progress: Progress) {
        guard times.connecting == nil else { return }
        times.activity = max(times.activity, progress.latestLine)
        if isHeld || progress.isPauseWanted || upload?.isPaused == true { times.progress(progress.now) }
        guard let uploaded = progress.uploaded else { return }
        // A small body that libcurl has copied counts as sent with its head, because nothing reports when it was sent.
        let isSentAtOnce = upload == nil && times.uploaded == 0 && uploaded >= Int64(request.body.length ?? .max)
        if uploaded > times.uploaded, !isSentAtOnce { times.progress(progress.now) }
        times.uploaded = uploaded
        if stage == .sending, uploaded >= Int64(request.body.length ?? .max) { stage = .waiting }
    }
}
