import Synchronization

/// Whether somebody still wants what a source has to say. Set before the source gets to it, on whichever thread, so that a
/// subscriber that leaves at one event stops what would follow it.
struct SubscriptionLife: ~Copyable, Sendable {
    private enum Phase: UInt8, AtomicRepresentable {
        case live
        /// Over, but for what has still to be said.
        case ending
        case ended
    }

    private let phase = Atomic<Phase>(.live)

    @inline(__always) var isDisposed: Bool { phase.load(ordering: .acquiring) == .ended }

    /// - Returns: whether there is something to end.
    func dispose() -> Bool {
        // It is as a rule, when what is over is let go of.
        if isDisposed { return false }
        return phase.exchange(.ended, ordering: .acquiringAndReleasing) == .live
    }

    /// The source is over and has more to say than one thing.
    ///
    /// - Returns: whether to anybody.
    func beginEnd() -> Bool {
        phase.compareExchange(expected: .live, desired: .ending, ordering: .acquiringAndReleasing).exchanged
    }

    /// - Returns: whether there is somebody to hear of the end.
    func end() -> Bool {
        phase.exchange(.ended, ordering: .acquiringAndReleasing) != .ended
    }
}
