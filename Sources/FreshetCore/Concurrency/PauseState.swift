import Synchronization

/// Whether downstream holds, and whether something was due meanwhile that has to be made up for when it no longer does.
struct PauseState: ~Copyable {
    private static var held: UInt8 { 1 }
    private static var late: UInt8 { 2 }

    private let state = Atomic<UInt8>(0)

    var isOn: Bool { state.load(ordering: .acquiring) & Self.held != 0 }

    func begin() {
        state.bitwiseOr(Self.held, ordering: .acquiringAndReleasing)
    }

    /// - Returns: whether downstream held, and whether something was put off.
    @discardableResult
    func end() -> (wasOn: Bool, isLate: Bool) {
        let before = state.exchange(0, ordering: .acquiringAndReleasing)
        return (before & Self.held != 0, before & Self.late != 0)
    }

    /// Whether what is due now has to wait; ``end()`` will tell.
    func putsOff() -> Bool {
        var seen = state.load(ordering: .acquiring)
        while seen & Self.held != 0 {
            let (exchanged, now) = state.weakCompareExchange(
                expected: seen, desired: seen | Self.late, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            seen = now
        }
        return false
    }

    /// Tells `source` what was decided last.
    func apply(to source: some Pausable) {
        FreshetCore.pauseOrResume(source) { isOn }
    }
}

/// Tells `source` what was decided last. Said until it is still so, or a pause could come after the resume that undoes it.
func pauseOrResume(_ source: some Pausable, while isHeld: () -> Bool) {
    var told: Bool
    repeat {
        told = isHeld()
        if told { source.pause() } else { source.resume() }
    } while isHeld() != told
}
