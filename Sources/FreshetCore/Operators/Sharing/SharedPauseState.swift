import Synchronization

/// Counts the members that share a source, and those of them that have paused. The source is paused while all members
/// have paused.
///
/// The slowest member alone does not pause the source, because operators pause on their own. An example is `concatMap`:
/// it pauses a stream while an inner stream runs. If the inner stream waited for an element of the same shared source,
/// neither would continue.
final class SharedPauseState: Sendable {
    private struct State {
        var members = 0
        var pausedMembers = 0
        var decision = PauseDecision()
        let waitsForMembers: Bool

        /// Decides whether the source is paused.
        mutating func decide() {
            if members == 0, waitsForMembers { return }
            decision.decide(members > 0 && pausedMembers == members)
        }
    }

    private let source: any Pausable
    private let state: Locked<State>

    /// - Parameter waitsForMembers: whether the source stays paused after its last member has left during a pause. Otherwise the
    ///   elements until the next member joins are lost.
    init(of source: any Pausable, waitsForMembers: Bool) {
        self.source = source
        state = Locked(State(waitsForMembers: waitsForMembers))
    }

    /// Adds a member. The source is not paused or resumed before ``updateSource()`` is called, which happens when the
    /// new member can receive events.
    fileprivate func join() {
        state.withLock { state in
            state.members += 1
            state.decide()
        }
    }

    fileprivate func remove(whilePaused isPaused: Bool) {
        state.withLock { state in
            state.members -= 1
            if isPaused { state.pausedMembers -= 1 }
            state.decide()
        }
        updateSource()
    }

    /// Resumes a source that waits for members. The pause in which the last member left is over, so the source need not wait.
    func stopWaitingForMembers() {
        state.withLock { if $0.members == 0 { $0.decision.decide(false) } }
        updateSource()
    }

    fileprivate func changePausedMembers(by difference: Int) {
        state.withLock { state in
            state.pausedMembers += difference
            state.decide()
        }
        updateSource()
    }

    /// Pauses or resumes the source if the decision has changed.
    func updateSource() {
        let hasChanged = state.withLock { $0.decision.report() }
        if hasChanged { source.pauseOrResume { state.withLock { $0.decision.isPaused } } }
    }
}

/// The subscription of one member of a shared source.
final class SharedSubscription: Pausable {
    private static var held: UInt8 { 1 }
    private static var over: UInt8 { 2 }

    private let subscription: any Disposable
    private let membership: (any Disposable)?
    private let pauseState: SharedPauseState
    private let state = Atomic<UInt8>(0)

    /// - Parameter membership: a disposable that is disposed of after `subscription`.
    init(_ subscription: any Disposable, _ membership: (any Disposable)? = nil, pauseState: SharedPauseState) {
        self.subscription = subscription
        self.membership = membership
        self.pauseState = pauseState
        pauseState.join()
    }

    // The subscription ends before the member is removed, because the removal could resume a source that has no
    // observers left.
    func dispose() {
        let before = state.bitwiseOr(Self.over, ordering: .acquiringAndReleasing).oldValue
        if before & Self.over != 0 { return }
        subscription.dispose()
        membership?.dispose()
        pauseState.remove(whilePaused: before & Self.held != 0)
    }

    func pause() {
        let (isDone, _) = state.compareExchange(expected: 0, desired: Self.held, ordering: .acquiringAndReleasing)
        if isDone { pauseState.changePausedMembers(by: 1) }
    }

    func resume() {
        let (isDone, _) = state.compareExchange(expected: Self.held, desired: 0, ordering: .acquiringAndReleasing)
        if isDone { pauseState.changePausedMembers(by: -1) }
    }
}

/// Subscribes a member that does not keep the connection alive.
final class SharingSink<Element>: PassingSink<Element> {
    private let pauseState: SharedPauseState

    init(to downstream: Sink<Element>, _ pauseState: SharedPauseState) {
        self.pauseState = pauseState
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        downstream.begin(with: SharedSubscription(subscription, pauseState: pauseState))
    }
}
