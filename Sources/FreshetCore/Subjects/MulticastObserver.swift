public import Synchronization

/// One observer of a ``Multicaster``, and its subscription.
///
/// An observer that is told of the past first hears it on the thread that subscribes, while the hub may already send:
/// until it has caught up, what the hub sends waits at a gate of its own.
@usableFromInline
final class MulticastObserver<Element>: Cancelable, @unchecked Sendable {
    @inlinable static var isGone: UInt8 { 8 }
    @inlinable static var isCounted: UInt8 { 4 }
    @inlinable static var isCatchingUp: UInt8 { 2 }
    @inlinable static var wasDisposed: UInt8 { 1 }
    /// What keeps an element from being delivered at once.
    @inlinable static var isHeld: UInt8 { 3 }

    @usableFromInline let state: Atomic<UInt8>
    // Let go before the member is only when the subject has gone, by the hub's one at work. Unchecked: see ``Multicaster/members``.
    @exclusivity(unchecked) @usableFromInline var sink: Sink<Element>?
    @usableFromInline let gate: Gate?
    @usableFromInline let multicaster: Multicaster<Element>

    @inlinable
    init(_ sink: Sink<Element>, of multicaster: Multicaster<Element>, isReady: Bool) {
        self.sink = sink
        self.multicaster = multicaster
        state = Atomic(isReady ? 0 : Self.isCatchingUp)
        gate = isReady ? nil : Gate()
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

    /// Says that somebody listens: once it can hear all that is sent by who was told so.
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

    /// It is not counted any more, nor will it be.
    func uncount() {
        state.bitwiseOr(Self.isGone, ordering: .relaxed)
        let before = state.bitwiseAnd(~Self.isCounted, ordering: .relaxed).oldValue
        if before & Self.isCounted != 0 { multicaster.count.subtract(1, ordering: .releasing) }
    }

    /// The subject has gone: nothing will be heard any more.
    func release() {
        state.bitwiseOr(Self.wasDisposed, ordering: .acquiringAndReleasing)
        sink = nil
    }

    /// Takes an element from the hub.
    @inlinable
    func next(_ element: Element) {
        if state.load(ordering: .acquiring) & Self.isHeld == 0 {
            withoutRetaining(sink.unsafelyUnwrapped) { $0.next(element) }
        } else {
            receive(.next(element))
        }
    }

    /// Takes an event from the hub.
    @usableFromInline
    func receive(_ event: Event<Element>) {
        let state = state.load(ordering: .acquiring)
        if state & Self.isCatchingUp == 0 { deliver(event) } else { gate?.events.submit(event, to: deliver) }
    }

    /// The end that the hub has heard of.
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

    /// Held from the beginning.
    @usableFromInline
    final class Gate: Sendable {
        let events = Drain<Event<Element>>()

        @usableFromInline
        init() {
            _ = events.enter()
        }
    }
}
