import Synchronization

extension ObservableType where Element: Sendable {
    /// Emits the result of `transform` for each element. `transform` runs on `schedulers` in rotation, and in parallel
    /// as far as the schedulers run in parallel. Source: RxJava's `parallel` with `map`, Reactor's `flatMapSequential`.
    ///
    /// Results are delivered one at a time, each on one of the schedulers. A result that has to wait is delivered on
    /// the scheduler that made the previous result.
    ///
    /// While `maxConcurrent` elements are being transformed or wait for earlier ones, `self` is paused, if it supports
    /// pausing, and elements that it emits nevertheless wait. While the operator is paused, it starts no
    /// transformation, and with `ordered` waiting results continue to wait. The first error, also one that `transform`
    /// throws, ends the stream. Transformations that have started then run to their end, and their results are dropped.
    ///
    /// - Parameters:
    ///   - schedulers: the schedulers on which `transform` runs, in rotation.
    ///   - ordered: whether results are emitted in the order of the elements, or as soon as they are ready.
    ///   - maxConcurrent: the number of elements that are being transformed or wait. The default is twice the number of
    ///     schedulers.
    ///   - transform: called for one element at a time on each serial scheduler.
    @preconcurrency
    public func parallelMap<Result: Sendable>(
        on schedulers: [any ImmediateSchedulerType], ordered: Bool = true, maxConcurrent: Int? = nil,
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        precondition(!schedulers.isEmpty, "parallelMap(on:) needs a scheduler")
        let rotation = SchedulerRotation(schedulers)
        let limit = maxConcurrent ?? schedulers.count * 2
        let work: @Sendable (Element) -> Observable<Result> = { element in
            Observable<Element>.just(element, scheduler: rotation.next()).map(transform)
        }
        return ordered ? concatMapEager(maxConcurrent: limit, work) : limitedMerge(limit, work)
    }
}

/// Returns the schedulers in rotation.
private final class SchedulerRotation: Sendable {
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
