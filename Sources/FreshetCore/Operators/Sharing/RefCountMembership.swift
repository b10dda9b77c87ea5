import Synchronization

/// The membership of one observer among those that keep a connection alive.
final class RefCountMembership: Disposable {
    private let hasEnded = Atomic<Bool>(false)
    private let end: @Sendable (_ isOver: Bool) -> Void

    /// - Parameter end: called once, when the membership ends. `isOver` is whether the source has ended, and `false` if
    ///   only the observer has disposed of its subscription.
    init(end: @escaping @Sendable (_ isOver: Bool) -> Void) {
        self.end = end
    }

    func dispose() { finish(isOver: false) }

    fileprivate func finish(isOver: Bool) {
        if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { end(isOver) }
    }
}

/// Ends the membership with the subscription. A pause of the subscription counts as a pause of one member of the shared
/// source.
final class RefCountSink<Element>: PassingSink<Element> {
    private let membership: RefCountMembership
    private let pauseState: SharedPauseState?

    /// - Parameter pauseState: the pause state of the shared source, or `nil` if the upstream subscription handles pauses
    ///   itself.
    init(to downstream: Sink<Element>, _ membership: RefCountMembership, _ pauseState: SharedPauseState? = nil) {
        self.membership = membership
        self.pauseState = pauseState
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        if let pauseState {
            downstream.begin(with: SharedSubscription(subscription, membership, pauseState: pauseState))
        } else {
            downstream.begin(with: CompositeDisposable(subscription, membership))
        }
    }

    // Downstream can keep the stop event for later. The membership ends now, because a source that has ended would
    // otherwise be subscribed to again.
    override func error(_ error: any Error) {
        membership.finish(isOver: true)
        downstream.error(error)
    }

    override func completed() {
        membership.finish(isOver: true)
        downstream.completed()
    }
}
