import FreshetCore

/// Whether one request counts against a limit. A subscriber can cancel on another thread at any time, so the request counts from
/// the moment at which the queue admits it, and not from its start, to which it may never come.
final class RateLimitPermit: Sendable {
    private enum Stage: Sendable {
        case waiting, ended
        case taken(Instant)
    }

    private let stage = Locked(Stage.waiting)

    /// - Returns: `false` if the request has been cancelled.
    func take(at now: Instant) -> Bool {
        stage.withLock { stage in
            guard case .waiting = stage else { return false }
            stage = .taken(now)
            return true
        }
    }

    /// The request has got its response, or has ended without one.
    ///
    /// - Returns: since when the request has counted; `nil` if it does not count now.
    func end() -> Instant? {
        stage.withLock { stage in
            defer { stage = .ended }
            guard case .taken(let time) = stage else { return nil }
            return time
        }
    }
}
