import FreshetCore

extension EventSourceState {
    /// Whether the connection of a stream is paused, and for which reasons.
    struct Hold {
        /// Whether the subscriber has paused the stream.
        var isWanted = false
        /// Whether too many signals wait for the thread that works.
        var isBehind = false
        /// When a pause ended last.
        private(set) var lastEnd: Instant?

        var isOn: Bool { isWanted || isBehind }

        mutating func end(at now: Instant) {
            isWanted = false
            lastEnd = now
        }

        mutating func catchUp(at now: Instant) {
            isBehind = false
            lastEnd = now
        }
    }
}
