import Synchronization

/// A subscription that two parties can pause: the subscriber downstream, and the operator itself. The source runs while
/// neither has paused it.
///
/// Each party calls its pair of functions in order. `release` and `resume` always reach the source if no party pauses
/// it. So a party that checks its condition again after a pause can undo a pause that came too late.
final class PauseArbiter: Pausable {
    private static var byDownstream: UInt8 { 1 }
    private static var byOperator: UInt8 { 2 }

    private let source: any Disposable
    private let pausable: (any Pausable)?
    private let holders = Atomic<UInt8>(0)

    init(_ source: any Disposable) {
        self.source = source
        pausable = source as? any Pausable
    }

    func dispose() { source.dispose() }
    func pause() { hold(for: Self.byDownstream) }
    func resume() { release(for: Self.byDownstream) }
    func hold() { hold(for: Self.byOperator) }
    func release() { release(for: Self.byOperator) }

    private func hold(for holder: UInt8) {
        guard let pausable else { return }
        holders.bitwiseOr(holder, ordering: .acquiringAndReleasing)
        decide(for: pausable)
    }

    private func release(for holder: UInt8) {
        guard let pausable else { return }
        if holders.bitwiseAnd(~holder, ordering: .acquiringAndReleasing).newValue == 0 { decide(for: pausable) }
    }

    private func decide(for pausable: some Pausable) {
        pausable.pauseOrResume { holders.load(ordering: .acquiring) != 0 }
    }
}
