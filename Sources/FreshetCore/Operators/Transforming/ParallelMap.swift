import Synchronization

extension ObservableType where Element: Sendable {
    /// Each element through `transform`, on one of `schedulers` after the other: as many at once as these can do. Source:
    /// RxJava's `parallel` with `map`, Reactor's `flatMapSequential`.
    ///
    /// Results are delivered one at a time, each on any of the schedulers: a result that had to wait comes on the one where
    /// that before it was made.
    ///
    /// While `maxConcurrent` elements are at work or wait for those before them, `self` is paused, if it can be, and what it
    /// emits all the same waits. In a pause no other work is begun, and with `ordered` results that wait go on waiting. The
    /// first error, also one that `transform` throws, ends everything; work that has begun then runs to its end unheard.
    ///
    /// - Parameters:
    ///   - schedulers: where `transform` runs, in turns.
    ///   - ordered: whether results come in the order of the elements, or as they are ready.
    ///   - maxConcurrent: how many elements are on their way; twice as many as there are schedulers unless it is given.
    ///   - transform: called for one element at a time on each scheduler that does one thing at a time.
    @preconcurrency
    public func parallelMap<Result: Sendable>(
        on schedulers: [any ImmediateSchedulerType], ordered: Bool = true, maxConcurrent: Int? = nil,
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        precondition(!schedulers.isEmpty, "parallelMap(on:) needs a scheduler")
        let turns = Turns(schedulers)
        let limit = maxConcurrent ?? schedulers.count * 2
        let work: @Sendable (Element) -> Observable<Result> = { element in
            Observable<Element>.just(element, scheduler: turns.next()).map(transform)
        }
        return ordered ? concatMapEager(maxConcurrent: limit, work) : limitedMerge(limit, work)
    }
}

/// Schedulers, one after the other and again from the first on.
private final class Turns: Sendable {
    private let schedulers: [any ImmediateSchedulerType]
    private let count = Atomic<UInt>(0)

    init(_ schedulers: [any ImmediateSchedulerType]) {
        self.schedulers = schedulers
    }

    func next() -> any ImmediateSchedulerType {
        let number = count.add(1, ordering: .relaxed).oldValue
        return schedulers[Int(number % UInt(schedulers.count))]
    }
}
