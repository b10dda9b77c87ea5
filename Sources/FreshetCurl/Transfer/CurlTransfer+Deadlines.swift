import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

// Its times, all told by one timer: each is looked at when that fires, and nothing is moved while bytes flow.
extension CurlTransfer {
    typealias Expiry = (due: Instant, message: String, remedy: HTTPClientError.Remedy)

    /// When the first of its times is up, as things are at `now`, and what to say then.
    func expiry(_ now: Instant) -> Expiry? {
        var first: Expiry?
        func consider(
            _ start: Instant, _ span: Duration?, _ reason: @autoclosure () -> (String, HTTPClientError.Remedy)
        ) {
            guard let due = span.map({ start.advanced(by: $0) }), first.map({ due < $0.due }) ?? true else { return }
            let (message, remedy) = reason()
            first = (due, message, remedy)
        }
        consider(admission, options.totalTimeout, ("the transfer took too long", .allowMoreTime))
        if sendings == 0 {
            consider(admission, options.connectTimeout, unconnected)
            if phase == .securing {
                consider(
                    latest, options.tlsTimeout,
                    ("the TLS handshake took too long", "check that the port speaks TLS, or allow more time"))
            }
        } else {
            noteProgress(now)
            if isSent {
                consider(
                    latest, options.firstByteTimeout,
                    ("no answer began in time", "try again, or allow more time for the first byte"))
            }
            consider(latest, options.idleTimeout, silent)
        }
        return first
    }

    /// The first time at which a limit may be up that does not count yet, for nobody tells when it begins to.
    func lookAgain(_ now: Instant) -> Instant? {
        guard phase != .receiving, !isSent else { return nil }
        var first = options.firstByteTimeout
        func consider(_ span: Duration?) {
            if let span, first.map({ span < $0 }) ?? true { first = span }
        }
        if sendings == 0 {
            consider(options.idleTimeout)
            if phase != .securing { consider(options.tlsTimeout) }
        }
        return first.map { now.advanced(by: $0) }
    }

    private var unconnected: (String, HTTPClientError.Remedy) {
        switch phase {
        case .resolving:
            ("the host name was not resolved in time", "check the name server, or say the address yourself")
        case .securing: ("the connection was not secured in time", "check that the port speaks TLS")
        default: place?.route?.proxy.map(unconnected) ?? Self.unreached
        }
    }

    private static var unreached: (String, HTTPClientError.Remedy) {
        ("no connection was made in time", "check that the server can be reached")
    }

    private func unconnected(by proxy: ProxyServer) -> (String, HTTPClientError.Remedy) {
        if easy?.isConnectedToPeer != true {
            return ("no connection to the proxy \(proxy) was made in time", "check that it runs and can be reached")
        }
        return (
            "no connection was made through the proxy \(proxy) in time", "check that it can reach the server"
        )
    }

    private var silent: (String, HTTPClientError.Remedy) {
        switch phase {
        case .sending: ("the server takes nothing more of the request", .tryAgain)
        case .waiting: ("the server has not begun to answer", "try again, or allow a longer silence")
        default: ("the server has been silent for too long", .tryAgain)
        }
    }

    /// Whether the whole request is on its way, and nothing of the answer has come.
    private var isSent: Bool {
        phase == .waiting || (phase == .sending && lastUpload >= (request.body.length ?? .max))
    }

    /// Time in which the receiver holds the transfer, or in which the request's body still moves, is no silence.
    private func noteProgress(_ now: Instant) {
        if isHeld || isPauseWanted || upload?.isPaused == true { progress(now) }
        guard phase == .sending || upload != nil, let easy else { return }
        let uploaded = freshet_easy_get_offset(easy.raw, CURLINFO_SIZE_UPLOAD_T)
        if uploaded > lastUpload { progress(now) }
        lastUpload = uploaded
        if phase == .sending, uploaded >= (request.body.length ?? .max) { phase = .waiting }
    }

    /// Its request may be on its way as a whole when it fails.
    func noteWhatWasSent() {
        if phase == .sending { noteProgress(transport.pool.loop.now) }
    }

    private var latest: Instant {
        // Of lines that are known the transfer does not hear.
        Instant(sinceStart: .milliseconds(lastActivity))
    }

    /// It goes on at `now`.
    func progress(_ now: Instant) {
        lastActivity = (now.sinceStart.nanoseconds + 999_999) / 1_000_000
    }
}
