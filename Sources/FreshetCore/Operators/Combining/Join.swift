/// Where `combineLatest` and `zip` meet: a slot for each source, typed as the source is, and one drain.
///
/// A source that finds nobody at work puts its element into the slot and goes on; only when somebody is at work is the
/// event left in the slot's own queue, and the slot with the drain. So elements of many types need no box.
///
/// The overloads for two to eight sources are written out: with parameter packs the compiler (6.3.1) crashes on the
/// closures here, and gives up on those of callers, such as `combineLatest(a, b, c).map { $0.0 + $0.1 + $0.2 }`.
@usableFromInline
final class Join: Pausable, @unchecked Sendable {
    let drain = Drain<any DrainWork>()
    let subscriptions = Subscriptions()
    @usableFromInline var starts: [() -> Void] = []

    /// How much is still to come.
    @usableFromInline
    struct JoinProgress {
        /// How many slots are empty.
        @usableFromInline var missing = 0
        /// How many sources have not ended.
        @usableFromInline var running = 0

        @inlinable
        init() {}
    }

    // All touched by the one at work alone. Two are unchecked: with checks here and in the slots `zip` takes 3.1 times as
    // long, `combineLatest` 1.6 times.
    @exclusivity(unchecked) @usableFromInline var combine: () throws -> Void = {}
    @exclusivity(unchecked) @usableFromInline var vacancy = JoinProgress()
    @usableFromInline var end: ((any Error)?) -> Void = { _ in }

    /// Whether it completes as soon as nothing more can come, and not only with all its sources.
    private let endsEarly: Bool

    @usableFromInline
    init(endsEarly: Bool) {
        self.endsEarly = endsEarly
    }

    /// The stream of what `plan` combines out of the slots that it asks for.
    @inlinable
    static func stream<Result>(
        endsEarly: Bool = true, _ plan: @escaping @Sendable (Join) -> () throws -> Result
    ) -> Observable<Result> {
        Producer { sink in
            let join = Join(endsEarly: endsEarly)
            let result = plan(join)
            join.combine = { sink.next(try result()) }
            join.end = { error in
                if let error { sink.error(error) } else { sink.completed() }
            }
            sink.begin(with: join)
            if join.vacancy.running == 0 { sink.completed() } else { join.start() }
        }
    }

    /// A slot with the newest element of `source`.
    @inlinable
    func latest<Source: ObservableConvertibleType>(of source: Source) -> LatestSlot<Source.Element> {
        let slot = LatestSlot<Source.Element>(of: self)
        add(slot, with: source.asObservable())
        return slot
    }

    /// A slot with all elements of `source`, each to be taken once and in order.
    @inlinable
    func queue<Source: ObservableConvertibleType>(of source: Source) -> QueueSlot<Source.Element> {
        let slot = QueueSlot<Source.Element>(of: self)
        add(slot, with: source.asObservable())
        return slot
    }

    @inlinable
    func add<Element>(_ slot: JoinSlot<Element>, with source: Observable<Element>) {
        vacancy.missing += 1
        vacancy.running += 1
        starts.append { source.subscribe(slot) }
    }

    @usableFromInline
    func start() {
        let starts = starts
        self.starts = []
        for start in starts where !subscriptions.isDisposed { start() }
    }

    @usableFromInline
    func dispose() {
        subscriptions.dispose()
        // The slots lead back here: that ends when whoever is at work is done.
        drain.submit(self, to: handle)
    }

    @usableFromInline func pause() { subscriptions.pause() }
    @usableFromInline func resume() { subscriptions.resume() }

    func handle(_ member: any DrainWork) {
        member.handleNext()
    }

    func filled() {
        do {
            if vacancy.missing == 0 {
                try combine()
            } else if vacancy.running == 1, endsEarly {
                // All others have ended, and one of them left its slot empty.
                end(nil)
            }
        } catch {
            end(error)
        }
    }

    func ended(with error: (any Error)?) {
        vacancy.running -= 1
        if error != nil || vacancy.running == 0 { end(error) }
    }
}

/// What has left something with a drain.
protocol DrainWork: AnyObject {
    func handleNext()
}

extension Join: DrainWork {
    func handleNext() {
        combine = {}
        end = { _ in }
    }
}
