import Synchronization

/// The number of elements that an operator has received from one source and has not finished with. The source is paused
/// from when the number reaches the upper bound until it falls to the lower bound.
///
/// The thread of the source calls ``add()``, hands the element over and calls ``pauseIfFull(_:)``, so that a source that
/// emits in a loop is paused in time. The thread that finishes with the element calls ``remove(resuming:)``, possibly
/// between the check and the pause of the other thread. The other thread therefore checks again after the pause.
struct Backlog: ~Copyable {
    private let limits: ClosedRange<Int>
    private let count = Atomic<Int>(0)

    init(limits: ClosedRange<Int>) {
        self.limits = limits
    }

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    func add() {
        count.add(1, ordering: .acquiringAndReleasing)
    }

    /// - Parameter source: the source, or `nil` if it has ended.
    func pauseIfFull(_ source: @autoclosure () -> PauseArbiter?) {
        guard count.load(ordering: .acquiring) >= limits.upperBound else { return }
        source()?.hold()
        if count.load(ordering: .acquiring) <= limits.lowerBound { source()?.release() }
    }

    /// - Parameter source: the source, or `nil` if it has ended.
    func remove(resuming source: @autoclosure () -> PauseArbiter?) {
        if count.subtract(1, ordering: .acquiringAndReleasing).newValue == limits.lowerBound { source()?.release() }
    }
}
