import FreshetCore

/// The current transfer of a request. Its subscriber pauses it, and so do the retriers until they have decided about the response.
///
/// A pause of the subscriber reaches the transfer at once, and takes no turn in the drain of the request. A thread that took one
/// could find parts there, and would then handle those that follow for as long as the server sends.
struct CurrentTransfer {
    private struct State {
        var transfer: (any Transfer)?
        /// Whether the subscriber has paused the response.
        var isPaused = false
        /// Whether the retriers have not decided yet.
        var isHeld = false
    }

    private let state = Locked(State())

    func set(_ transfer: any Transfer) {
        let isPaused = state.withLock { state in
            state.transfer = transfer
            state.isHeld = false
            return state.isPaused
        }
        if isPaused { pauseOrResume() }
    }

    /// Returns the transfer, which is not paused or resumed any more.
    @discardableResult
    func take() -> (any Transfer)? { state.withLock { $0.transfer.take() } }

    /// Records whether the subscriber has paused the response. ``pauseOrResume()`` has to follow.
    func setPaused(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    /// Records whether the retriers have not decided yet. ``pauseOrResume()`` has to follow.
    func setHeld(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

    func pauseOrResume() {
        let transfer = state.withLock { $0.transfer }
        transfer?.pauseOrResume { state.withLock { $0.isPaused || $0.isHeld } }
    }
}
