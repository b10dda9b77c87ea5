extension ObservableType {
    /// Emits the elements of `array` in order, then completes. Source: RxSwift's `from`.
    ///
    /// On the default scheduler, sequences that are subscribed to together emit in turns.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable<Element>.iterating(array, on: scheduler)
    }

    /// Emits the elements of `sequence`, then completes. Each subscription makes an iterator of its own.
    /// Source: RxSwift's `from`.
    @inlinable
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        Observable<Element>.iterating(sequence, on: scheduler)
    }

    /// Emits `elements` in order, then completes. Source: RxSwift's `of`.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable<Element>.iterating(elements, on: scheduler)
    }

    /// Emits the element if there is one, then completes. Source: RxSwift's `from(optional:)`.
    public static func from(optional: Element?) -> Observable<Element> {
        optional.map { .just($0) } ?? .empty()
    }

    /// Emits the element if there is one, then completes, on `scheduler`.
    /// Source: RxSwift's `from(optional:scheduler:)`.
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        Observable<Element>.iterating(CollectionOfOne(optional).lazy.compactMap { $0 }, on: scheduler)
    }
}

extension Observable {
    /// Returns the stream that `from`, `of` and `just` share. It is a function instead of a class, so that callers can
    /// specialize the loop. The stream only copies `elements`. A sequence of reference type must support calls of
    /// `makeIterator` from any thread.
    @inlinable
    static func iterating<Elements: Sequence>(
        _ elements: Elements, on scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> where Elements.Element == Element {
        Producer(unchecked: ()) {
            GeneratorSubscription(Iteration(elements.makeIterator()), to: $0, on: scheduler).start()
        }
    }
}
