extension Flattening {
    /// The sink of one inner stream.
    final class Inner: Sink<Result> {
        private let flattening: Flattening
        var number = -1
        /// Changed only under the drain, before the first event is handled.
        var generation: Int
        /// The place of the subscription of a stream that is subscribed to before its turn.
        private var slot: SingleAssignmentDisposable?
        /// Whether this sink has submitted a signal. The signal may still wait, and later events must not overtake it.
        private var hasLeft = false
        /// Where events are kept until the turn of the stream. Accessed only under the drain.
        fileprivate var kept: KeptEvents?

        init(of flattening: Flattening, _ generation: Int) {
            self.flattening = flattening
            self.generation = generation
        }

        override func begin(with subscription: any Disposable & AnyObject) {
            if let slot = slot.take() { return slot.setDisposable(subscription) }
            number = flattening.inners.insert(subscription)
        }

        /// Subscribes to `source` before its turn. All its events wait for theirs.
        fileprivate func join(_ source: Observable<Result>) {
            takePlace()
            flattening.submit(.joined(self))
            source.subscribe(self)
        }

        fileprivate func takePlace() {
            let slot = SingleAssignmentDisposable()
            self.slot = slot
            number = flattening.inners.insert(slot)
            hasLeft = true
        }

        fileprivate func takeTurn() { (kept, generation) = (nil, flattening.generation) }

        /// Keeps an event until the turn of the stream. The events of a stream that was cancelled are dropped.
        func keep(_ event: Event<Result>) { kept?.events.append(event) }

        override func next(_ element: Result) {
            if flattening.drain.enter() {
                if flattening.isCurrent(self) { flattening.downstream.next(element) } else { keep(.next(element)) }
                flattening.drain.finishTurn(to: flattening.handle)
            } else {
                nextWithinStart(element)
            }
        }

        // A separate function, so that `next` does not do the setup that only this function needs.
        @inline(never)
        private func nextWithinStart(_ element: Result) {
            guard !hasLeft, flattening.isDirect else { return submitNext(element) }
            if flattening.isCurrent(self) { flattening.deliver(element) }
        }

        // A separate function too, because it uses the type of the signals, and a function looks up the metadata of a
        // type before its first branch.
        @inline(never)
        private func submitNext(_ element: Result) {
            hasLeft = true
            flattening.submit(.inner(self, .next(element)))
        }

        override func error(_ error: any Error) {
            flattening.inners.remove(number)
            flattening.submit(.inner(self, .error(error)))
        }

        override func completed() {
            flattening.inners.remove(number)
            flattening.ends()
            guard !hasLeft, flattening.isDirect else { return submitEnd() }
            if flattening.isCurrent(self) { flattening.retire() }
        }

        @inline(never)
        private func submitEnd() { flattening.submit(.inner(self, .completed)) }
    }
}

extension Flattening {
    /// The events of a stream that was subscribed to before its turn. Accessed only under the drain.
    final class KeptEvents {
        fileprivate var events = Fifo<Event<Result>>()
        /// Weak, because the sink of the stream refers to the operator.
        private weak var inner: Inner?

        /// Keeps all further events of `inner`.
        init(of inner: Inner) {
            self.inner = inner
            (inner.kept, inner.generation) = (self, -1)
        }

        /// Subscribes to `source`.
        convenience init(of source: Observable<Result>, for flattening: Flattening) {
            let inner = Inner(of: flattening, -1)
            self.init(of: inner)
            inner.takePlace()
            source.subscribe(inner)
        }

        /// Returns the oldest event. After `nil` the stream has its turn, and no further event is kept.
        func popFirst() -> Event<Result>? {
            if let event = events.popFirst() { return event }
            inner?.takeTurn()
            return nil
        }
    }

    /// Calls the selector at once for an element that arrives while another signal is being handled.
    @inline(never)
    final func enqueue(_ element: Element, mayJoin: Bool) {
        if isDisposed { return }
        do {
            enqueue(try selector(element), mayJoin: mayJoin)
        } catch {
            self.error(error)
        }
    }

    /// Subscribes to a hot stream before its turn, because the elements that it emits until then would be lost. Any other
    /// stream starts in its turn.
    final func enqueue(_ source: Observable<Result>, mayJoin: Bool) {
        if mayJoin, source.isHot { Inner(of: self, 0).join(source) } else { submit(.source(source)) }
    }
}
