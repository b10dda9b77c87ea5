extension ObservableType {
    /// Subscribes to a stream for each element, one stream after the other, and emits their elements in order.
    /// Source: RxSwift's `concatMap`.
    ///
    /// While an inner stream runs, `self` is paused, if it supports pausing. If `self` emits an element nevertheless,
    /// `selector` is called at once and the stream waits. While the operator itself is paused, only hot inner streams start, such as
    /// subjects and windows.
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
    /// Subscribes to the streams in `self`, to at most `maxConcurrent` at once, and emits the elements of all of them.
    /// Source: RxSwift's `merge(maxConcurrent:)`.
    ///
    /// While `maxConcurrent` inner streams run, `self` is paused, if it supports pausing, and streams that it emits
    /// nevertheless wait. While the operator itself is paused, only hot inner streams start, such as subjects and windows.
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        limitedMerge(maxConcurrent) { $0 }
    }

    /// Subscribes to the streams in `self`, one after the other, and emits their elements in order.
    /// Source: RxSwift's `concat`.
    public func concat() -> Observable<Element.Element> {
        limitedMerge(1) { $0 }
    }
}

@usableFromInline
final class LimitedMergeSink<Element, Result>: Flattening<Element, Result> {
    private let maxConcurrent: Int
    /// The elements that have arrived and whose inner streams have not ended.
    private let backlog: Backlog
    /// The slot of the outer source holds the strong reference.
    private weak var arbiter: PauseArbiter?

    // Accessed only under the drain.
    private var waiting = Fifo<Observable<Result>>()

    @usableFromInline
    init(
        to downstream: Sink<Result>, _ maxConcurrent: Int, _ selector: @escaping (Element) throws -> Observable<Result>
    ) {
        self.maxConcurrent = maxConcurrent
        backlog = Backlog(limits: maxConcurrent - 1...maxConcurrent)
        super.init(to: downstream, selector)
    }

    override func admit(_ subscription: any Disposable & AnyObject) -> any Disposable & AnyObject {
        let arbiter = PauseArbiter(subscription)
        self.arbiter = arbiter
        return arbiter
    }

    override func next(_ element: Element) {
        if !backlog.isEmpty || pauseState.isOn || !handleAtOnce(element) {
            backlog.add()
            handleInTurn(element)
        }
        backlog.pauseIfFull(arbiter)
    }

    override func enqueue(_ element: Element) {
        // Without room for one more stream, the stream of the element has to wait, also if it is hot.
        enqueue(element, mayJoin: backlog.holds(atMost: maxConcurrent))
    }

    override func launches() { backlog.add() }

    override func launch(_ source: Observable<Result>) {
        if running < maxConcurrent, waiting.isEmpty, mayStart(source) {
            start(source)
        } else {
            waiting.append(source.isHot && pauseState.isOn ? kept(source) : source)
        }
    }

    /// Subscribes to a hot stream, and returns a stream that has all its events. It is for one that has to wait during a pause:
    /// without the pause, the streams before it could have ended, and its elements would not be lost.
    private func kept(_ source: Observable<Result>) -> Observable<Result> {
        let keeper = Keeper(for: self)
        source.subscribe(keeper)
        return keeper.events
    }

    override func retired() { backlog.remove(resuming: arbiter) }

    override func refill() {
        while running < maxConcurrent, !isDisposed, let source = waiting.first, mayStart(source) {
            _ = waiting.popFirst()
            start(source)
        }
    }

    override var isIdle: Bool { running == 0 && waiting.isEmpty }
}

extension LimitedMergeSink {
    /// Keeps the events of a stream until it is subscribed to in its turn.
    private final class Keeper: Sink<Result> {
        let events = ReplaySubject<Result>.createUnbounded()
        private let merge: LimitedMergeSink
        private var number = -1

        init(for merge: LimitedMergeSink) { self.merge = merge }

        override func begin(with subscription: any Disposable & AnyObject) {
            number = merge.inners.insert(subscription)
        }

        override func next(_ element: Result) { events.onNext(element) }

        override func error(_ error: any Error) { end(.error(error)) }

        override func completed() { end(.completed) }

        private func end(_ event: Event<Result>) {
            merge.inners.remove(number)
            events.on(event)
        }
    }
}
