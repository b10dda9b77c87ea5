/// Whether a source that several subscribers share is paused, and whether the source has yet to receive that decision.
struct PauseDecision {
    private(set) var isPaused = false
    private var isUnreported = false

    mutating func decide(_ isPaused: Bool) {
        if self.isPaused != isPaused { isUnreported.toggle() }
        self.isPaused = isPaused
    }

    /// - Returns: whether the source has to be paused or resumed, because the decision has changed since the last call.
    mutating func report() -> Bool { exchange(&isUnreported, with: false) }
}
