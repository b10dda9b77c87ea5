import Synchronization

extension ObservableType {
    /// The streams in `sequence`, one after the other; each is asked for when the one before has completed.
    /// Source: RxSwift's `concat`.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        ConcatSource(sequence)
    }

    /// `sources`, one after the other. Source: RxSwift's `concat`.
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        concat(sources)
    }

    /// `self`, and when it has completed, `second`. Source: RxSwift's `concat`.
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
    where Source.Element == Element {
        .concat([asObservable(), second.asObservable()])
    }

    /// `elements` first, then `self`. Source: RxSwift's `startWith`.
    public func startWith(_ elements: Element...) -> Observable<Element> {
        let source = asObservable()
        let elements = Seed(elements)
        return Producer { sink in
            let concat = ConcatSink(to: sink, CollectionOfOne(source).makeIterator())
            sink.begin(with: concat.current)
            for element in elements.value where !concat.current.isDisposed { sink.next(element) }
            concat.completed()
        }
    }
}

// Unchecked: the sequence is only ever copied; one of reference type has to bear `makeIterator` from any thread.
private final class ConcatSource<Element, Sources: Sequence>: Observable<Element>, @unchecked Sendable
where Sources.Element == Observable<Element> {
    private let sources: Sources

    init(_ sources: Sources) {
        self.sources = sources
    }

    override func run(_ sink: Sink<Element>) {
        ConcatSink(to: sink, sources.makeIterator()).start()
    }
}

/// Sources that run one at a time need no drain: the counter only sees to it that one which ends within its subscribing
/// call is followed by the next in a loop, and not in a deeper call.
final class ConcatSink<Sources: IteratorProtocol, Element>: Pipe<Element, Element>, @unchecked Sendable
where Sources.Element == Observable<Element> {
    let current = SerialDisposable()
    private var sources: Sources
    private let ended = Atomic<Int>(0)

    init(to downstream: Sink<Element>, _ sources: Sources) {
        self.sources = sources
        super.init(to: downstream)
    }

    func start() {
        downstream.begin(with: current)
        completed()
    }

    override func begin(with subscription: any Disposable) {
        current.disposable = subscription
    }

    override func next(_ element: Element) {
        downstream.next(element)
    }

    override func completed() {
        guard ended.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat {
            if current.isDisposed { return }
            guard let source = sources.next() else { return downstream.completed() }
            source.subscribe(self)
        } while ended.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }
}
