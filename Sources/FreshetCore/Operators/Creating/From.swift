extension ObservableType {
    /// The elements of `array`, one after the other. Source: RxSwift's `from`.
    ///
    /// On the default scheduler, sequences that are subscribed to together take turns.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        SequenceSource(array, on: scheduler)
    }

    /// The elements of `sequence`, which is begun anew by each subscription. Source: RxSwift's `from`.
    @inlinable
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        SequenceSource(sequence, on: scheduler)
    }

    /// `elements`, one after the other. Source: RxSwift's `of`.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        SequenceSource(elements, on: scheduler)
    }

    /// The element if there is one, then the end. Source: RxSwift's `from(optional:)`.
    public static func from(optional: Element?) -> Observable<Element> {
        optional.map { .just($0) } ?? .empty()
    }

    /// The element if there is one, then the end, on `scheduler`. Source: RxSwift's `from(optional:scheduler:)`.
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        SequenceSource(CollectionOfOne(optional).lazy.compactMap { $0 }, on: scheduler)
    }
}

// Unchecked: the sequence is only ever copied; one of reference type has to bear `makeIterator` from any thread.
@usableFromInline
final class SequenceSource<Elements: Sequence>: Observable<Elements.Element>, @unchecked Sendable {
    @usableFromInline let elements: Elements
    @usableFromInline let scheduler: any ImmediateSchedulerType

    @inlinable
    init(_ elements: Elements, on scheduler: any ImmediateSchedulerType) {
        self.elements = elements
        self.scheduler = scheduler
    }

    @inlinable
    override func run(_ sink: Sink<Elements.Element>) {
        Emission(Iteration(elements.makeIterator()), to: sink, on: scheduler).start()
    }
}
