/// The subscription to a source whose elements are distributed to several streams, as in `groupBy` and `windowToggle`.
/// It ends when the subscriber to the stream of streams and all subscribers to the inner streams have disposed of their
/// subscriptions.
///
/// The source is paused while all subscribers are paused, including the subscriber to the stream of streams unless it
/// has disposed of its subscription. A single paused subscriber does not pause the source, for two reasons. `concatMap`
/// pauses the stream of groups until the first group ends, and a group without elements would never end. And a group
/// that is processing an element must not delay the elements of other groups.
final class ParentSubscription: Cancelable, Pausable {
    fileprivate struct State {
        /// `nil` after the end, because the source may hold a reference to this object.
        var source: (any Disposable)?
        var isParentDisposed = false
        var isPaused = false
        /// Whether each child has paused, by its number.
        var children: [Int: Bool] = [:]
        var childrenEver = 0
        var pausedChildren = 0
        var decision = PauseDecision()
    }

    private let state: Locked<State>

    init(_ source: any Disposable & AnyObject) {
        // A subscriber to an inner stream can resume the source from another context.
        state = Locked(State(source: source.pausedInCurrentContext))
    }

    /// Whether the subscriber to the stream of streams has disposed of its subscription.
    var isDisposed: Bool { state.withLock { $0.isParentDisposed } }
    func dispose() { change { $0.isParentDisposed = true } }
    func pause() { change { $0.isPaused = true } }
    func resume() { change { $0.isPaused = false } }

    /// Adds a subscriber to one of the inner streams and returns its part of the subscription. The caller calls
    /// ``updateSource()`` when the subscriber can receive events.
    func makeChild() -> any Pausable {
        var number = 0
        _ = set { state in
            state.childrenEver += 1
            number = state.childrenEver
            if state.source != nil { state.children[number] = false }
        }
        return ChildSubscription(of: self, number: number)
    }

    /// Disposes of the source even if there are subscribers, because the source emits no further event.
    func finish() {
        state.withLock { $0.source.take() }?.dispose()
    }

    fileprivate func change(_ body: (inout State) -> Void) {
        set(body)?.dispose()
        updateSource()
    }

    /// Changes the state. Returns the source if it has to be disposed of.
    private func set(_ body: (inout State) -> Void) -> (any Disposable)? {
        state.withLock { state in
            body(&state)
            if state.isParentDisposed, state.children.isEmpty { return state.source.take() }
            state.decision.decide(
                (state.isParentDisposed || state.isPaused) && state.pausedChildren == state.children.count)
            return nil
        }
    }

    /// Pauses or resumes the source if the decision has changed.
    fileprivate func updateSource() {
        let source = state.withLock { $0.decision.report() ? $0.source : nil }
        if let source = source as? any Pausable { source.pauseOrResume { state.withLock { $0.decision.isPaused } } }
    }
}

/// The part of one subscriber to an inner stream.
private final class ChildSubscription: Pausable {
    private let parent: ParentSubscription
    private let number: Int

    init(of parent: ParentSubscription, number: Int) {
        self.parent = parent
        self.number = number
    }

    func dispose() {
        parent.change { if $0.children.removeValue(forKey: number) == true { $0.pausedChildren -= 1 } }
    }

    func pause() { setPaused(true) }
    func resume() { setPaused(false) }

    private func setPaused(_ isPaused: Bool) {
        parent.change { state in
            guard let wasPaused = state.children[number], wasPaused != isPaused else { return }
            state.children[number] = isPaused
            state.pausedChildren += isPaused ? 1 : -1
        }
    }
}

extension PublishSubject {
    /// Returns the elements of this subject as one of the inner streams of `parent`.
    func streamOfChild(_ parent: ParentSubscription) -> Observable<Element> {
        Producer(isHot: true) { sink in
            self.run(ResourceSink(to: sink, parent.makeChild()))
            parent.updateSource()
        }
    }
}
