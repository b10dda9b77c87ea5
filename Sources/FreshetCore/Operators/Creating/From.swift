extension ObservableType {
    /// The elements of `array`, one after the other. Source: RxSwift's `from`.
    ///
    /// On the default scheduler, sequences that are subscribed to together take turns.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable<Element>.iterating(array, on: scheduler)
    }

    /// The elements of `sequence`, which is begun anew by each subscription. Source: RxSwift's `from`.
    @inlinable
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        Observable<Element>.iterating(sequence, on: scheduler)
    }

    /// `elements`, one after the other. Source: RxSwift's `of`.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable<Element>.iterating(elements, on: scheduler)
    }

    /// The element if there is one, then the end. Source: RxSwift's `from(optional:)`.
    public static func from(optional: Element?) -> Observable<Element> {
        optional.map { .just($0) } ?? .empty()
    }

    /// The element if there is one, then the end, on `scheduler`. Source: RxSwift's `from(optional:scheduler:)`.
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        Observable<Element>.iterating(CollectionOfOne(optional).lazy.compactMap { $0 }, on: scheduler)
    }
}

extension Observable {
    /// The source that `from` and its like share: a function and not a class, so that callers can specialise the loop.
    /// The sequence is only ever copied; one of reference type has to bear `makeIterator` from any thread.
    @inlinable
    static func iterating<Elements: Sequence>(
        _ elements: Elements, on scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> where Elements.Element == Element {
        Producer(unchecked: ()) {
            GeneratorSubscription(Iteration(elements.makeIterator()), to: $0, on: scheduler).start()
        }
    }
}
