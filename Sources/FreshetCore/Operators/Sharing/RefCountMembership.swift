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
final class RefCountSink<Element>: OperatorSink<Element, Element> {
    private let lease: RefCountMembership
    private let hold: SharedPauseState?

    /// - Parameter hold: the pause state of the shared source, or `nil` if the upstream subscription handles pauses
    ///   itself.
    init(to downstream: Sink<Element>, _ lease: RefCountMembership, _ hold: SharedPauseState? = nil) {
        self.lease = lease
        self.hold = hold
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        if let hold {
            downstream.begin(with: SharedSubscription(subscription, lease, holding: hold))
        } else {
            downstream.begin(with: CompositeDisposable(subscription, lease))
        }
    }

    override func next(_ element: Element) { downstream.next(element) }

    // Downstream can keep the stop event for later. The membership ends now, because a source that has ended would
    // otherwise be subscribed to again.
    override func error(_ error: any Error) {
        lease.finish(isOver: true)
        downstream.error(error)
    }

    override func completed() {
        lease.finish(isOver: true)
        downstream.completed()
    }
}
