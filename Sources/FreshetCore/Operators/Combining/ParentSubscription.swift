/// The subscription to a source whose elements go into streams of their own, as `groupBy` and `windowToggle` make them:
/// it ends when the subscriber to the stream of streams and those to the streams themselves have all gone.
///
/// It is held when all of them hold it, the one to the stream of streams too unless it has gone. Fewer are not enough:
/// `concatMap` holds the stream of groups until the first group ends, which without elements it never would; and a group
/// at work on an element must not keep the others from theirs.
final class ParentSubscription: Cancelable, Pausable {
    fileprivate struct State {
        /// `nil` when it has ended: it may be who holds this.
        var source: (any Disposable)?
        var isParentDisposed = false
        var isPaused = false
        var children = 0
        var pausedChildren = 0
        var isSourcePaused = false
        /// The source has not been told yet.
        var needsUpdate = false
    }

    private let state: Locked<State>

    init(_ source: any Disposable) {
        state = Locked(State(source: source))
    }

    /// Whether the subscriber to the stream of streams has gone.
    var isDisposed: Bool { state.withLock { $0.isParentDisposed } }
    func dispose() { change { $0.isParentDisposed = true } }
    func pause() { change { $0.isPaused = true } }
    func resume() { change { $0.isPaused = false } }

    /// The share of a subscriber to one of the streams, who can hear the source when ``updateSource()`` is called.
    func makeChild() -> any Pausable {
        let child = ChildSubscription(of: self)
        _ = set { state in
            if state.source == nil { child.isDisposed = true } else { state.children += 1 }
        }
        return child
    }

    /// Ends the source, whoever is still subscribed: it has nothing more to say.
    func finish() {
        let source = state.withLock { state in
            defer { state.source = nil }
            return state.source
        }
        source?.dispose()
    }

    fileprivate func change(_ body: (inout State) -> Void) {
        set(body)?.dispose()
        updateSource()
    }

    /// Returns the source if it has to end.
    private func set(_ body: (inout State) -> Void) -> (any Disposable)? {
        state.withLock { state in
            body(&state)
            if state.isParentDisposed, state.children == 0 {
                defer { state.source = nil }
                return state.source
            }
            let isSourcePaused = (state.isParentDisposed || state.isPaused) && state.pausedChildren == state.children
            if state.isSourcePaused != isSourcePaused { state.needsUpdate.toggle() }
            state.isSourcePaused = isSourcePaused
            return nil
        }
    }

    /// Tells the source, if there is news.
    fileprivate func updateSource() {
        let source = state.withLock { state in
            defer { state.needsUpdate = false }
            return state.needsUpdate ? state.source : nil
        }
        if let source = source as? any Pausable { pauseOrResume(source) { state.withLock { $0.isSourcePaused } } }
    }
}

/// Unchecked: its variables are touched under the lock of what was lent.
private final class ChildSubscription: Pausable, @unchecked Sendable {
    private let parent: ParentSubscription
    var isDisposed = false
    private var isPaused = false

    init(of parent: ParentSubscription) {
        self.parent = parent
    }

    func dispose() {
        parent.change { state in
            if isDisposed { return }
            isDisposed = true
            state.children -= 1
            if isPaused { state.pausedChildren -= 1 }
        }
    }

    func pause() { setPaused(true) }
    func resume() { setPaused(false) }

    private func setPaused(_ isPaused: Bool) {
        parent.change { state in
            if isDisposed || self.isPaused == isPaused { return }
            self.isPaused = isPaused
            state.pausedChildren += isPaused ? 1 : -1
        }
    }
}

extension PublishSubject {
    /// This as one of the streams of elements of what is lent.
    func streamOfChild(_ parent: ParentSubscription) -> Observable<Element> {
        Producer { sink in
            self.run(ChildSubscriptionSink(to: sink, parent.makeChild()))
            parent.updateSource()
        }
    }
}

/// Ends the loan with the subscription.
private final class ChildSubscriptionSink<Element>: OperatorSink<Element, Element> {
    private let child: any Pausable

    init(to downstream: Sink<Element>, _ child: any Pausable) {
        self.child = child
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        downstream.begin(with: CompositeDisposable(subscription, child))
    }

    override func next(_ element: Element) { downstream.next(element) }
}
