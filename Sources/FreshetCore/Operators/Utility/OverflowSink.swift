/// Delivers elements as a ``Drain`` does: a thread that finds the sink free delivers its element, and then the elements
/// that have been queued meanwhile. The queue belongs to this sink, so that the sink can count, drop and delay elements.
final class OverflowSink<Element>: Sink<Element>, SubscriptionOwner {
    // The flags come first, at places that no element's size moves: an element that passes directly reads nothing else.
    private struct State {
        var hasEnded = false
        var isDelivering = false
        var isPaused = false
        var isFull = false
        var isDisposed = false
        /// Whether ``stop`` waits.
        var isStopping = false
        var waiting = Fifo<Element>()
        /// The stop event, which is delivered after all waiting elements.
        var stop: Event<Element>?

        /// Whether an element passes directly.
        var isReady: Bool { !hasEnded && !isDelivering && !isPaused && waiting.isEmpty }
    }

    private enum Outcome {
        case kept
        case dropped(Element)
        case full
        case overflowed
    }

    private let downstream: Sink<Element>
    private let policy: OverflowPolicy
    private let state = Locked(State())
    private let source = SingleAssignmentDisposable()

    init(to downstream: Sink<Element>, _ policy: OverflowPolicy) {
        self.downstream = downstream
        self.policy = policy
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        source.setDisposable(subscription)
        downstream.begin(with: OwnedSubscription(of: self))
    }

    override func next(_ element: Element) {
        let isDirect = state.withLock { state in
            let isReady = state.isReady
            if isReady { state.isDelivering = true }
            return isReady
        }
        guard isDirect else { return keep(element) }
        downstream.next(element)
        deliver()
    }

    private func keep(_ element: Element) {
        let (outcome, isFirst) = state.withLock { state in
            (state.hasEnded ? .dropped(element) : buffer(element, in: &state), claim(&state))
        }
        switch outcome {
        case .full: updateSource()
        case .overflowed: end(with: .error(OverflowError(capacity: policy.capacity)))
        // The dropped element is released here and not under the lock, because its `deinit` can call any code.
        case .dropped, .kept: break
        }
        // The thread that was delivering can have ended before the element was queued.
        if isFirst { deliver() }
    }

    private func buffer(_ element: Element, in state: inout State) -> Outcome {
        switch policy {
        case .dropNewest(let capacity) where state.waiting.count >= capacity: return .dropped(element)
        case .error(let capacity) where state.waiting.count >= capacity: return .overflowed
        default: state.waiting.append(element)
        }
        switch policy {
        case .buffer(let capacity) where !state.isFull && state.waiting.count >= capacity:
            state.isFull = true
            return .full
        case .dropOldest, .latest:
            guard state.waiting.count > policy.capacity else { return .kept }
            return state.waiting.popFirst().map { .dropped($0) } ?? .kept
        default: return .kept
        }
    }

    override func error(_ error: any Error) { end(with: .error(error)) }
    override func completed() { end(with: .completed) }

    private func end(with event: Event<Element>) {
        let isFirst = state.withLock { state in
            if state.hasEnded { return false }
            (state.hasEnded, state.isStopping) = (true, true)
            state.stop = event
            return claim(&state)
        }
        // The subscription ends before the event is delivered, so that the source does not continue until then.
        source.dispose()
        if isFirst { deliver() }
    }

    /// Returns whether the caller has to deliver. A stop event without waiting elements does not wait for a resume.
    private func claim(_ state: inout State) -> Bool {
        let isAnything = state.waiting.isEmpty ? state.isStopping : !state.isPaused
        if state.isDelivering || !isAnything { return false }
        state.isDelivering = true
        return true
    }

    private func deliver() {
        while true {
            let (goesOn, isLow) = state.withLock { state in
                state.isDelivering = false
                return state.isDisposed ? (false, false) : (claim(&state), frees(&state))
            }
            if isLow { updateSource() }
            guard goesOn, let event = state.withLock({ pop(&$0) }) else { return }
            downstream.on(event)
        }
    }

    private func pop(_ state: inout State) -> Event<Element>? {
        if state.isDisposed { return nil }
        if let element = state.waiting.popFirst() { return .next(element) }
        state.isStopping = false
        return state.stop.take()
    }

    /// Returns whether the source can continue that was paused. Without room for an element it waits for the resume.
    private func frees(_ state: inout State) -> Bool {
        guard state.isFull, state.waiting.count <= policy.capacity / 2 else { return false }
        if hasNoRoom && state.isPaused { return false }
        state.isFull = false
        return true
    }

    private var hasNoRoom: Bool { policy == .buffer(0) }

    private func updateSource() {
        source.pauseOrResume { state.withLock { $0.isFull } }
    }

    func dispose() {
        let waiting = state.withLock { state in
            state.isDisposed = true
            state.hasEnded = true
            return exchange(&state.waiting, with: Fifo())
        }
        source.dispose()
        withExtendedLifetime(waiting) {}
    }

    func pause() {
        state.withLock { state in
            state.isPaused = true
            if hasNoRoom { state.isFull = true }
        }
        if hasNoRoom { updateSource() }
    }

    func resume() {
        let (isFirst, isFree) = state.withLock { state in
            state.isPaused = false
            return (claim(&state), frees(&state))
        }
        if isFirst { deliver() }
        if isFree { updateSource() }
    }
}
