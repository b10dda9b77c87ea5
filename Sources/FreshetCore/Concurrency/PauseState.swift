import Synchronization

/// Whether downstream has paused the source, and whether the pause has postponed something that has to be done at the
/// resume.
struct PauseState: ~Copyable {
    private static var held: UInt8 { 1 }
    private static var deferred: UInt8 { 2 }

    private let state = Atomic<UInt8>(0)

    var isOn: Bool { state.load(ordering: .acquiring) & Self.held != 0 }

    func begin() {
        state.bitwiseOr(Self.held, ordering: .acquiringAndReleasing)
    }

    /// - Returns: whether downstream had paused, and whether something was postponed.
    @discardableResult
    func end() -> (wasOn: Bool, hasDeferredWork: Bool) {
        let before = state.exchange(0, ordering: .acquiringAndReleasing)
        return (before & Self.held != 0, before & Self.deferred != 0)
    }

    /// Whether work that is due now has to wait for the resume. If so, ``end()`` reports it.
    func defersDueWork() -> Bool {
        var seen = state.load(ordering: .acquiring)
        while seen & Self.held != 0 {
            let (exchanged, now) = state.weakCompareExchange(
                expected: seen, desired: seen | Self.deferred, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            seen = now
        }
        return false
    }

    /// Pauses or resumes `source` as downstream decided last.
    func apply(to source: some Pausable) {
        source.pauseOrResume { isOn }
    }
}
