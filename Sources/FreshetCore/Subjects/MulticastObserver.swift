public import Synchronization

/// One observer of a ``Multicaster``, and its subscription.
///
/// An observer that replays earlier events receives them on the subscribing thread, while the multicaster can already
/// send. Until the observer has caught up, the events of the multicaster wait in the observer's own gate.
@usableFromInline
final class MulticastObserver<Element>: ListedObserver, Cancelable, @unchecked Sendable {
    @inlinable static var isGone: UInt8 { 8 }
    @inlinable static var isCounted: UInt8 { 4 }
    @inlinable static var isCatchingUp: UInt8 { 2 }
    @inlinable static var wasDisposed: UInt8 { 1 }
    /// The flags that prevent immediate delivery of an element.
    @inlinable static var isNotReady: UInt8 { 3 }

    @usableFromInline let state: Atomic<UInt8>
    // Set to `nil` before the observer's deallocation only if the subject is deallocated, by the draining thread.
    // Unchecked: see ``Multicaster/members``.
    @exclusivity(unchecked) @usableFromInline var sink: Sink<Element>?
    @usableFromInline let gate: Gate?
    @usableFromInline let multicaster: Multicaster<Element>

    @inlinable
    init(_ sink: Sink<Element>, of multicaster: Multicaster<Element>, isReady: Bool) {
        self.sink = sink
        self.multicaster = multicaster
        state = Atomic(isReady ? 0 : Self.isCatchingUp)
        gate = isReady ? nil : Gate()
        super.init()
        Resources.increment()
    }

    deinit {
        Resources.decrement()
    }

    @usableFromInline var isDisposed: Bool { state.load(ordering: .acquiring) & Self.wasDisposed != 0 }

    @usableFromInline
    func dispose() {
        var before = state.load(ordering: .relaxed)
        while true {
            if before & Self.wasDisposed != 0 { return }
            let (exchanged, now) = state.weakCompareExchange(
                expected: before, desired: (before | Self.wasDisposed) & ~Self.isCounted,
                ordering: .acquiringAndReleasing)
            if exchanged { break }
            before = now
        }
        if before & Self.isCounted != 0 { multicaster.count.subtract(1, ordering: .releasing) }
        multicaster.remove(self)
    }

    /// Counts this observer. The multicaster calls it after it has added or queued the observer, so that a thread that
    /// reads the count and then sends an event reaches the observer.
    func count() {
        var before = state.load(ordering: .relaxed)
        while before & (Self.wasDisposed | Self.isGone) == 0 {
            let (exchanged, now) = state.weakCompareExchange(
                expected: before, desired: before | Self.isCounted, ordering: .acquiringAndReleasing)
            if exchanged {
                multicaster.count.add(1, ordering: .releasing)
                return
            }
            before = now
        }
    }

    /// Stops counting this observer, permanently.
    func uncount() {
        state.bitwiseOr(Self.isGone, ordering: .relaxed)
        let before = state.bitwiseAnd(~Self.isCounted, ordering: .relaxed).oldValue
        if before & Self.isCounted != 0 { multicaster.count.subtract(1, ordering: .releasing) }
    }

    /// Ends the subscription because the subject is deallocated, so no event follows.
    func release() {
        state.bitwiseOr(Self.wasDisposed, ordering: .acquiringAndReleasing)
        sink = nil
    }

    /// Receives an element from the multicaster.
    @inlinable
    func next(_ element: Element) {
        if state.load(ordering: .acquiring) & Self.isNotReady == 0 {
            withoutRetaining(sink.unsafelyUnwrapped) { $0.next(element) }
        } else {
            receive(.next(element))
        }
    }

    /// Receives an event from the multicaster.
    @usableFromInline
    func receive(_ event: Event<Element>) {
        let state = state.load(ordering: .acquiring)
        if state & Self.isCatchingUp == 0 { deliver(event) } else { gate?.events.submit(event, to: deliver) }
    }

    /// Receives the stop event of the multicaster.
    @inline(never)
    func receive(stop: StopEvent) {
        switch stop {
        case .error(let error): receive(.error(error))
        case .completed: receive(.completed)
        }
    }

    private func deliver(_ event: Event<Element>) {
        if !isDisposed { withoutRetaining(sink.unsafelyUnwrapped) { $0.on(event) } }
    }

    func catchUp(with elements: [Element], stop: Event<Element>?) {
        for element in elements { deliver(.next(element)) }
        if let stop { deliver(stop) }
        gate?.events.finishTurn(to: deliver)
        state.bitwiseAnd(~Self.isCatchingUp, ordering: .releasing)
    }

    /// Queues events until the observer has caught up. The gate is closed from the beginning.
    @usableFromInline
    final class Gate: Sendable {
        let events = Drain<Event<Element>>()

        @usableFromInline
        init() {
            _ = events.enter()
        }
    }
}
