import Synchronization

/// Whether the subscriber of a source still wants its events. The subscriber's thread sets it before the source handles the
/// disposal, so that a subscriber that disposes at one event stops the events that would follow.
struct SubscriptionLife: ~Copyable, Sendable {
    private enum Phase: UInt8, AtomicRepresentable {
        case live
        /// The source has ended, and its last events are still to come.
        case ending
        case ended
    }

    private let phase = Atomic<Phase>(.live)

    @inline(__always) var isDisposed: Bool { phase.load(ordering: .acquiring) == .ended }

    /// - Returns: whether the source has to end now.
    func dispose() -> Bool {
        // Most subscriptions have already ended when their owner disposes of them.
        if isDisposed { return false }
        return phase.exchange(.ended, ordering: .acquiringAndReleasing) == .live
    }

    /// The source has ended and has more than one event to emit.
    ///
    /// - Returns: whether the subscriber still wants them.
    func beginEnd() -> Bool {
        phase.compareExchange(expected: .live, desired: .ending, ordering: .acquiringAndReleasing).exchanged
    }

    /// - Returns: whether the subscriber still wants the last event.
    func end() -> Bool {
        phase.exchange(.ended, ordering: .acquiringAndReleasing) != .ended
    }
}
