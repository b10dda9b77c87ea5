/// The coordinator of `combineLatest` and `zip`. It has one drain, and for each source a slot with the type of the
/// source's elements.
///
/// A source that finds the drain free stores its element directly in the slot. Otherwise the event is submitted to the
/// drain together with its slot. So elements of different types need no box when the drain is free.
///
/// Parameter packs would replace the written-out overloads that create the slots, but closures over packs crash the
/// compiler (6.3.1).
@usableFromInline
final class Join: SubscriptionOwner {
    let drain = Drain<any DrainWork>()
    let subscriptions = Subscriptions()
    @usableFromInline var starts: [() -> Void] = []
    /// Whether one of the sources is hot.
    @usableFromInline var isHot = false

    /// The number of slots and sources that the join waits for.
    @usableFromInline
    struct JoinProgress {
        /// The number of empty slots.
        @usableFromInline var missing = 0
        /// The number of sources that have not ended.
        @usableFromInline var running = 0

        @inlinable
        init() {}
    }

    // Accessed only by the draining thread. Two are unchecked: with exclusivity checks here and in the slots, `zip`
    // takes 3.1 times as long and `combineLatest` 1.6 times.
    @exclusivity(unchecked) @usableFromInline var combine: () throws -> Void = {}
    @exclusivity(unchecked) @usableFromInline var progress = JoinProgress()
    @usableFromInline var end: ((any Error)?) -> Void = { _ in }

    /// Whether the stream completes as soon as no further result is possible, instead of with the last source.
    private let endsEarly: Bool

    @usableFromInline
    init(endsEarly: Bool) {
        self.endsEarly = endsEarly
    }

    /// Returns a stream of the results that `plan` combines from the slots that it creates.
    @inlinable
    static func stream<Result>(
        endsEarly: Bool = true, _ plan: @escaping @Sendable (Join) -> () throws -> Result
    ) -> Observable<Result> {
        Producer(isHot: isHot(plan)) { sink in
            let join = Join(endsEarly: endsEarly)
            let result = plan(join)
            join.combine = { sink.next(try result()) }
            join.end = { error in
                if let error { sink.error(error) } else { sink.completed() }
            }
            join.begin(sink)
            if join.progress.running == 0 { sink.completed() } else { join.start() }
        }
    }

    /// Whether one of the sources for which `plan` creates slots is hot.
    @inlinable
    static func isHot<Result>(_ plan: (Join) -> () throws -> Result) -> Bool {
        let join = Join(endsEarly: true)
        _ = plan(join)
        // The slots refer to the join.
        join.starts = []
        return join.isHot
    }

    /// Returns a slot with the latest element of `source`.
    @inlinable
    func latest<Source: ObservableConvertibleType>(of source: Source) -> LatestSlot<Source.Element> {
        let slot = LatestSlot<Source.Element>(of: self)
        add(slot, with: source.asObservable())
        return slot
    }

    /// Returns a slot with all elements of `source`. Each element is taken once, in order.
    @inlinable
    func queue<Source: ObservableConvertibleType>(of source: Source) -> QueueSlot<Source.Element> {
        let slot = QueueSlot<Source.Element>(of: self)
        add(slot, with: source.asObservable())
        return slot
    }

    @inlinable
    func add<Element>(_ slot: JoinSlot<Element>, with source: Observable<Element>) {
        progress.missing += 1
        progress.running += 1
        if source.isHot { isHot = true }
        starts.append { source.subscribe(slot) }
    }

    @usableFromInline
    func begin<Result>(_ sink: Sink<Result>) {
        sink.begin(with: OwnedSubscription(of: self))
    }

    @usableFromInline
    func start() {
        for start in exchange(&starts, with: []) where !subscriptions.isDisposed { start() }
    }

    func dispose() {
        subscriptions.dispose()
        // The slots refer to this object. The signal breaks the cycle when the draining thread reaches it.
        drain.submit(self, to: handle)
    }

    func pause() { subscriptions.pause() }
    func resume() { subscriptions.resume() }

    func handle(_ work: any DrainWork) {
        work.handleNext()
    }

    func filled() {
        do {
            if progress.missing == 0 {
                try combine()
            } else if progress.running == 1, endsEarly {
                // All other sources have ended, and one of them has left its slot empty.
                end(nil)
            }
        } catch {
            end(error)
        }
    }

    func ended(with error: (any Error)?) {
        progress.running -= 1
        if error != nil || progress.running == 0 { end(error) }
    }
}

/// A piece of work for the draining thread of a ``Join``.
protocol DrainWork: AnyObject {
    func handleNext()
}

extension Join: DrainWork {
    func handleNext() {
        combine = {}
        end = { _ in }
    }
}
