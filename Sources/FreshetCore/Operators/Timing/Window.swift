extension ObservableType where Element: Sendable {
    /// The elements in streams, a new one when `count` have come or `timeSpan` is over. Source: RxSwift's
    /// `window(timeSpan:count:scheduler:)`.
    ///
    ///     source:                        -a-b-c------d|
    ///     window(timeSpan: 4, count: 2): A--B---C---D-|    A = -a-(b|), B = --c-|, C = ----|, D = -d|
    ///
    /// The source is subscribed to for as long as anybody is subscribed to the stream of windows or to a window.
    @preconcurrency
    public func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        let source = asObservable()
        return Producer { source.run(WindowSink(to: $0, timeSpan: timeSpan, count: count, on: scheduler)) }
    }
}

/// Downstream has a subscription of its own, which silences it; this one ends when the windows have ended too.
private final class WindowSink<Element: Sendable>: TimedSink<Element, Observable<Element>>, @unchecked Sendable {
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let outer: OuterSink<Observable<Element>>
    private var current = PublishSubject<Element>()
    private var taken = 0

    init(
        to downstream: Sink<Observable<Element>>, timeSpan: RxTimeInterval, count: Int,
        on scheduler: any SchedulerType
    ) {
        self.timeSpan = timeSpan
        self.count = count
        outer = OuterSink(to: downstream)
        super.init(to: outer, on: scheduler)
    }

    override func started() { open() }

    private func open() {
        taken = 0
        current = PublishSubject()
        let window = current
        if let lifetime = outer.lifetime {
            outer.next(
                Producer { sink in
                    let lent = lifetime.retain()
                    window.run(BorrowingSink(to: sink, lent))
                })
        }
        if !isDisposed { setAlarm(in: timeSpan) }
    }

    override func received(_ element: Element) {
        current.onNext(element)
        taken += 1
        if taken == count { rang() }
    }

    override func rang() {
        current.onCompleted()
        if !isDisposed { open() }
    }

    override func failed(_ error: any Error) {
        current.onError(error)
        outer.error(error)
        dispose()
    }

    override func ended() {
        current.onCompleted()
        outer.completed()
        dispose()
    }
}

private final class OuterSink<Result>: Pipe<Result, Result>, Pausable, @unchecked Sendable {
    private(set) var lifetime: RefCountDisposable?
    private let source = SingleAssignmentDisposable()
    private let silence = BooleanDisposable()

    override func begin(with subscription: any Disposable) {
        source.setDisposable(subscription)
        lifetime = RefCountDisposable(disposable: source)
        downstream.begin(with: self)
    }

    override func next(_ element: Result) { if !silence.isDisposed { downstream.next(element) } }
    override func error(_ error: any Error) { if !silence.isDisposed { downstream.error(error) } }
    override func completed() { if !silence.isDisposed { downstream.completed() } }

    func dispose() {
        silence.dispose()
        lifetime?.dispose()
    }

    func pause() { source.pause() }
    func resume() { source.resume() }
}

/// Ends what was lent to a window's observer with its subscription.
private final class BorrowingSink<Element>: Pipe<Element, Element> {
    private let lent: any Disposable

    init(to downstream: Sink<Element>, _ lent: any Disposable) {
        self.lent = lent
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable) {
        downstream.begin(with: CompositeDisposable(subscription, lent))
    }

    override func next(_ element: Element) { downstream.next(element) }
}
