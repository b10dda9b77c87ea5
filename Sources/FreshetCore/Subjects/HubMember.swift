public import Synchronization

/// One observer of a ``Hub``, and its subscription.
///
/// An observer that is told of the past first hears it on the thread that subscribes, while the hub may already send:
/// until it has caught up, what the hub sends waits at a gate of its own.
@usableFromInline
final class HubMember<Element>: Cancelable, @unchecked Sendable {
    // Let go only when the subject has gone, under the hub's drain.
    @usableFromInline var sink: Sink<Element>?
    @usableFromInline let disposed = Atomic<Bool>(false)
    @usableFromInline let ready: Atomic<Bool>
    @usableFromInline let gate: Drain<Event<Element>>?
    private let counted = Atomic<Bool>(true)
    private let hub: Hub<Element>

    init(_ sink: Sink<Element>, of hub: Hub<Element>, isReady: Bool) {
        self.sink = sink
        self.hub = hub
        ready = Atomic(isReady)
        gate = isReady ? nil : Drain()
        // Held until it has caught up.
        _ = gate?.enter()
        hub.count.add(1, ordering: .relaxed)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    @usableFromInline var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    @usableFromInline
    func dispose() {
        if disposed.exchange(true, ordering: .acquiringAndReleasing) { return }
        uncount()
        hub.submit(.leave(self))
    }

    @usableFromInline
    func uncount() {
        if counted.exchange(false, ordering: .relaxed) { hub.count.subtract(1, ordering: .releasing) }
    }

    /// Takes an event from the hub.
    @inlinable
    func receive(_ event: Event<Element>) {
        if ready.load(ordering: .acquiring) { deliver(event) } else { gate?.submit(event, to: deliver) }
    }

    @inlinable
    func deliver(_ event: Event<Element>) {
        if !disposed.load(ordering: .relaxed) { sink?.on(event) }
    }

    func catchUp(with elements: [Element], stop: Event<Element>?) {
        for element in elements { deliver(.next(element)) }
        if let stop { deliver(stop) }
        gate?.leave(to: deliver)
        ready.store(true, ordering: .releasing)
    }
}
