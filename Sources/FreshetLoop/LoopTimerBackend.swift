package import FreshetCore

/// Connects a ``Timeline`` to the clock and a timer of a loop.
package struct LoopTimerBackend: TimerBackend {
    let timer: LoopTimer
    private let armed = Armed()

    private final class Armed {
        var due: Instant?
    }

    init(timer: LoopTimer) {
        self.timer = timer
    }

    package var now: Instant { Loop.clock }

    // A timer that is set too early stays, because one needless wake-up is cheaper than moving the timer for each of
    // the many timeouts that are set and cancelled.
    package func arm(at due: Instant) {
        if let earlier = armed.due, earlier <= due { return }
        armed.due = due
        start(at: due)
    }

    package func disarm() {}

    /// Moves a timer that is set too early to the next due time, or stops it if nothing is due.
    package func settle(at due: Instant?) {
        guard let earlier = armed.due, due.map({ earlier < $0 }) ?? true else { return }
        armed.due = due
        if let due { start(at: due) } else { timer.stop() }
    }

    /// Work that is due already waits for the next turn, because libuv may fire a timer that has no delay again before
    /// it serves the sockets.
    private func start(at due: Instant) {
        if due <= now { timer.start(after: .zero) } else { timer.start(at: due) }
    }

    func fired() {
        armed.due = nil
    }
}
