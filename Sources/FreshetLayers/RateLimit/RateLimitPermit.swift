import FreshetCore

/// Whether one request counts against a limit. A subscriber can cancel on another thread at any time, so the request counts from
/// the moment at which the queue admits it, and not from its start, to which it may never come.
final class RateLimitPermit: Sendable {
    private enum Stage: Sendable {
        case waiting, taken, ended
    }

    private let stage = Locked(Stage.waiting)

    /// - Returns: `false` if the request has been cancelled.
    func take() -> Bool {
        stage.withLock { stage in
            guard stage == .waiting else { return false }
            stage = .taken
            return true
        }
    }

    /// The request has got its response, or has ended without one.
    ///
    /// - Returns: whether the request has counted until now.
    func end() -> Bool {
        stage.withLock { stage in
            defer { stage = .ended }
            return stage == .taken
        }
    }
}
