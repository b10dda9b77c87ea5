extension ObservableType {
    /// Emits the elements of the streams in `sequence`, one stream after the other. The operator takes the next stream
    /// from `sequence` when the previous one has completed. Source: RxSwift's `concat`.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        Assembly.traced((sequence as? [Observable<Element>]).map { ConcatArray($0) } ?? ConcatSequence(sequence))
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
        let elements = Seed(elements)
        return Producer(after: source) {
            SequentialSubscriber.run(StartWithProvider(elements.value, before: source), to: $0)
        }
    }
}

// Unchecked: the stream only copies the sequence. A sequence of reference type must support calls of `makeIterator`
// from any thread.
private final class ConcatSequence<Element, Sources: Sequence>: Observable<Element>, @unchecked Sendable
where Sources.Element == Observable<Element> {
    private let sources: Sources

    init(_ sources: Sources) {
        self.sources = sources
        super.init()
    }

    override func run(_ sink: Sink<Element>) {
        SequentialSubscriber.run(SequenceProvider(sources.makeIterator()), to: sink)
    }
}

/// A concatenation of streams in an array. Each of them can be the last operator of a long chain, so a deep
/// concatenation is released through ``StackBreakQueue``.
private final class ConcatArray<Element>: Observable<Element>, @unchecked Sendable {
    // Only `init` and `deinit` write to this variable.
    private var sources: [Observable<Element>]

    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init(depth: sources.lazy.map(\.depthOfNext).max() ?? 0)
    }

    deinit {
        guard isStackBreakDue else { return }
        var cargo = Optional(Box(sources))
        sources = []
        StackBreakQueue.release(&cargo)
    }

    override func run(_ sink: Sink<Element>) {
        SequentialSubscriber.run(ArrayProvider(sources), to: sink)
    }
}

private final class SequenceProvider<Sources: IteratorProtocol, Element>: SourceProvider<Element>
where Sources.Element == Observable<Element> {
    private var sources: Sources

    init(_ sources: Sources) {
        self.sources = sources
    }

    override func source(after end: Event<Never>?, for subscriber: SequentialSubscriber<Element>) -> Observable<
        Element
    >? {
        end?.error == nil ? sources.next() : nil
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

    override func source(after end: Event<Never>?, for subscriber: SequentialSubscriber<Element>) -> Observable<
        Element
    >? {
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

    override func source(after end: Event<Never>?, for subscriber: SequentialSubscriber<Element>) -> Observable<
        Element
    >? {
        if isDone { return nil }
        for element in elements where !subscriber.isDisposed { subscriber.next(element) }
        defer { source = nil }
        return source
    }
}
