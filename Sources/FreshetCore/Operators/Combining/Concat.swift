extension ObservableType {
    /// Emits the elements of the streams in `sequence`, one stream after the other. The operator takes the next stream
    /// from `sequence` when the previous one has completed. Source: RxSwift's `concat`.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        if let sources = sequence as? [Observable<Element>] {
            return Producer(after: sources) { SequentialSubscriber.run(ArrayProvider(sources), to: $0) }
        }
        // The stream only copies the sequence. A sequence of reference type must support calls of `makeIterator` from
        // any thread.
        return Producer(unchecked: ()) {
            SequentialSubscriber.run(SequenceProvider(sequence.makeIterator(), continuingAfter: \.isCompleted), to: $0)
        }
    }

    /// Emits the elements of the streams that `source` makes of `sequence`, one stream after the other. An array stays an array,
    /// so that a long chain is flat and a hot stream is known.
    static func concat<Sources: Sequence>(
        _ sequence: Sources, of source: @escaping (Sources.Element) -> Observable<Element>
    ) -> Observable<Element> {
        if let array = sequence as? [Sources.Element] { return .concat(array.map(source)) }
        return .concat(sequence.lazy.map(source))
    }

    /// Emits the elements of `sources`, one stream after the other. Source: RxSwift's `concat`.
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        concat(sources)
    }

    /// Emits the elements of `self` and, after its completion, those of `second`. Source: RxSwift's `concat`.
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
    where Source.Element == Element {
        .concat([asObservable(), second.asObservable()])
    }

    /// Emits `elements`, and then the elements of `self`. Source: RxSwift's `startWith`.
    public func startWith(_ elements: Element...) -> Observable<Element> {
        let source = asObservable()
        return Producer(after: source) {
            SequentialSubscriber.run(StartWithProvider(elements, before: source), to: $0)
        }
    }
}

/// Provides the next source of a sequence as long as the sources end in the wanted way.
final class SequenceProvider<Sources: IteratorProtocol, Element>: SourceProvider<Element>
where Sources.Element == Observable<Element> {
    private var sources: Sources
    private let isWanted: (Event<Never>) -> Bool

    init(_ sources: Sources, continuingAfter isWanted: @escaping (Event<Never>) -> Bool) {
        self.sources = sources
        self.isWanted = isWanted
    }

    override func source(after end: Event<Never>?, for subscriber: Downstream) -> Observable<Element>? {
        end.map(isWanted) ?? true ? sources.next() : nil
    }
}

/// Provides the sources of an array. It reports that it is done when it has provided the last source.
final class ArrayProvider<Element>: SourceProvider<Element> {
    private let sources: [Observable<Element>]
    private var started = 0

    init(_ sources: [Observable<Element>]) {
        self.sources = sources
    }

    override var isDone: Bool { started == sources.count }

    override func source(after end: Event<Never>?, for subscriber: Downstream) -> Observable<Element>? {
        if isDone || end?.error != nil { return nil }
        defer { started += 1 }
        return sources[started]
    }
}

private final class StartWithProvider<Element>: SourceProvider<Element> {
    private let elements: [Element]
    private var source: Observable<Element>?

    init(_ elements: [Element], before source: Observable<Element>) {
        self.elements = elements
        self.source = source
    }

    override var isDone: Bool { source == nil }

    override func source(after end: Event<Never>?, for subscriber: Downstream) -> Observable<Element>? {
        if isDone { return nil }
        for element in elements where !subscriber.isDisposed { subscriber.next(element) }
        return source.take()
    }
}
