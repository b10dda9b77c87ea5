import Synchronization

extension ObservableType {
    /// A stream for each element, one after the other, in order. Source: RxSwift's `concatMap`.
    ///
    /// While a stream runs, `self` is paused, if it can be; for what it emits all the same `selector` is called at once, and
    /// the stream waits. None is started while this is paused itself.
    @inlinable
    @preconcurrency
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        limitedMerge(1, selector)
    }

    @inlinable
    func limitedMerge<Source: ObservableConvertibleType>(
        _ maxConcurrent: Int, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        precondition(maxConcurrent > 0, "merge(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        let source = asObservable()
        let stream: @Sendable (Element) throws -> Observable<Source.Element> = { try selector($0).asObservable() }
        return source.linear { LimitedMergeSink(to: $0, maxConcurrent, stream) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Unites the streams in `self`, at most `maxConcurrent` at once. Source: RxSwift's `merge(maxConcurrent:)`.
    ///
    /// While that many run, `self` is paused, if it can be, and what it emits all the same waits. None is started while this
    /// is paused itself.
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        limitedMerge(maxConcurrent) { $0 }
    }

    /// The streams in `self`, one after the other. Source: RxSwift's `concat`.
    public func concat() -> Observable<Element.Element> {
        limitedMerge(1) { $0 }
    }
}

@usableFromInline
final class LimitedMergeSink<Element, Result>: Flattening<Element, Result>, @unchecked Sendable {
    private let maxConcurrent: Int
    /// How many elements have come and are not done with.
    private let outstanding = Atomic<Int>(0)
    /// Kept by the place of the outer source.
    private weak var valve: PauseArbiter?

    // Touched under the drain alone.
    private var waiting = Fifo<Observable<Result>>()

    @usableFromInline
    init(
        to downstream: Sink<Result>, _ maxConcurrent: Int, _ selector: @escaping (Element) throws -> Observable<Result>
    ) {
        self.maxConcurrent = maxConcurrent
        super.init(to: downstream, selector)
    }

    override func admit(_ subscription: any Disposable & AnyObject) -> any Disposable & AnyObject {
        let valve = PauseArbiter(subscription)
        self.valve = valve
        return valve
    }

    override func next(_ element: Element) {
        if outstanding.load(ordering: .acquiring) != 0 || hold.isOn || !handleAtOnce(element) {
            outstanding.add(1, ordering: .acquiringAndReleasing)
            handleInTurn(element)
        }
        // By the source's own thread, so that a source which emits in a loop is held in time.
        guard isFull else { return }
        valve?.hold()
        if !isFull { valve?.release() }
    }

    override func accept(_ element: Element) {
        guard let source = source(for: element) else { return }
        if running < maxConcurrent, waiting.isEmpty, !hold.putsOff() { start(source) } else { waiting.append(source) }
    }

    override func launch(_ source: Observable<Result>) {
        outstanding.add(1, ordering: .acquiringAndReleasing)
        start(source)
    }

    override func retired() {
        // Who finds it full has held, or is about to and looks again.
        if outstanding.subtract(1, ordering: .acquiringAndReleasing).newValue == maxConcurrent - 1 { valve?.release() }
    }

    override func refill() {
        while running < maxConcurrent, !isDisposed, !waiting.isEmpty, !hold.putsOff(),
            let source = waiting.popFirst()
        { start(source) }
    }

    override var isIdle: Bool { running == 0 && waiting.isEmpty }

    private var isFull: Bool { outstanding.load(ordering: .acquiring) >= maxConcurrent }
}
