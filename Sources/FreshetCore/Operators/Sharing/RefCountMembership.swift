import Synchronization

/// An observer's part in keeping a connection alive.
final class RefCountMembership: Disposable {
    private let hasEnded = Atomic<Bool>(false)
    private let end: @Sendable (_ isOver: Bool) -> Void

    /// - Parameter end: called once; whether the source has ended, or only the observer gone.
    init(end: @escaping @Sendable (_ isOver: Bool) -> Void) {
        self.end = end
    }

    func dispose() { finish(isOver: false) }

    fileprivate func finish(isOver: Bool) {
        if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { end(isOver) }
    }
}

/// Ends the lease with the subscription, whose pause holds what is shared.
final class RefCountSink<Element>: OperatorSink<Element, Element> {
    private let lease: RefCountMembership
    private let hold: SharedPauseState?

    /// - Parameter hold: `nil` if the subscription that is to come sees to that itself.
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

    // Downstream may keep the stop event for later; the lease ends now, or a source that has ended would be started again.
    override func error(_ error: any Error) {
        lease.finish(isOver: true)
        downstream.error(error)
    }

    override func completed() {
        lease.finish(isOver: true)
        downstream.completed()
    }
}
