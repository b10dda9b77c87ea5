import CFreshetCurl

/// The connection that a transfer uses.
struct ConnectionUse {
    /// TLS on the connection, as the alerts of the other side report it.
    enum TLS: Equatable {
        case open
        case ended
        /// The other side has reported an error, by its number in RFC 8446 section 6.
        case failed(Int)
    }

    /// Whether it was opened for this transfer.
    var isNew = false
    /// Whether the receiver has its address.
    var isAnnounced = false
    /// Whether kept connections must not be used.
    var mustBeNew = false
    /// Whether no descriptor was left for a socket.
    var lacksDescriptors = false
    /// How many times the transfer went back to the queue, because no descriptor was left.
    var shortages = 0
    /// Whether it carries many transfers, over HTTP/2. Other connections of the same origin can differ.
    var isMultiplexed = false
    /// The local port.
    var localPort: Int32 = -1
    /// The value of `CURLINFO_OS_ERRNO` when the request was sent.
    var errorNumber = 0
    private(set) var tls = TLS.open
    /// The check of a kept connection that may hold surplus bytes; `nil` for other connections.
    var staleResponseCheck: StaleResponseCheck?

    /// Prepares for another connection, or for the same one once more.
    mutating func beginSending() {
        isNew = false
        mustBeNew = false
        isMultiplexed = false
        localPort = -1
        errorNumber = 0
        tls = .open
        staleResponseCheck = nil
    }

    /// A connection is opened for the transfer. libcurl can do that after the request was sent on another one.
    mutating func begin() {
        isNew = true
        isAnnounced = false
        tls = .open
    }

    mutating func alerted(_ alert: Int) {
        switch alert {
        case freshet_alert_user_canceled: break
        case freshet_alert_close_notify: if tls == .open { tls = .ended }
        default: tls = .failed(alert)
        }
    }

    /// The last TLS alert that reports an error.
    var alert: Int? { if case .failed(let alert) = tls { alert } else { nil } }

    /// The transfer goes back to the queue.
    mutating func forget() {
        isNew = false
        isAnnounced = false
        lacksDescriptors = false
    }
}
