import Synchronization

extension ObservableType {
    /// A stream for each element, all of them at once. Source: RxSwift's `flatMap`.
    ///
    /// The first error, also one that `selector` throws, ends everything; the stream completes when `self` and all inner
    /// streams have.
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        merge(maxConcurrent: .max, selector)
    }

    /// A stream for each element, one after the other, in order. Source: RxSwift's `concatMap`.
    @preconcurrency
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        merge(maxConcurrent: 1, selector)
    }

    /// Unites the streams in `self`, at most `maxConcurrent` at once; while that many run, `self` is paused if it can be,
    /// and what it emits all the same waits. Source: RxSwift's `merge(maxConcurrent:)`.
    func merge<Source: ObservableConvertibleType>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        let source = asObservable()
        return Producer { source.run(MergeSink(to: $0, maxConcurrent: maxConcurrent, selector)) }
    }
}

/// The sources are the members of `subscriptions`: what they do arrives as a signal, one at a time.
private final class MergeSink<Element, Source: ObservableConvertibleType>: Sink<Element>, Pausable, @unchecked Sendable {
    enum Signal {
        case element(Element)
        case ended
        case inner(Source.Element)
        case innerEnded(CompositeDisposable.DisposeKey?)
        case failed(any Error)
    }

    private let downstream: Sink<Source.Element>
    private let maxConcurrent: Int
    private let selector: (Element) throws -> Source

    let drain = Drain<Signal>()
    let subscriptions = CompositeDisposable()

    // Touched under the drain alone.
    private var waiting: [Element] = []
    private var running = 0
    private var hasEnded = false

    init(to downstream: Sink<Source.Element>, maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source) {
        self.downstream = downstream
        self.maxConcurrent = maxConcurrent
        self.selector = selector
    }

    override func begin(with subscription: any Disposable) {
        subscriptions.insert(subscription)
        downstream.begin(with: self)
    }

    override func next(_ element: Element) { submit(.element(element)) }
    override func error(_ error: any Error) { submit(.failed(error)) }
    override func completed() { submit(.ended) }
    func dispose() { subscriptions.dispose() }
    func pause() { subscriptions.pause() }
    func resume() { subscriptions.resume() }

    func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal(), to: handle)
    }

    private func handle(_ signal: Signal) {
        if subscriptions.isDisposed { return }
        switch signal {
        case .inner(let element):
            downstream.next(element)
        case .element(let element):
            waiting.append(element)
            startWaiting()
        case .innerEnded(let key):
            if let key { subscriptions.remove(for: key) }
            running -= 1
            startWaiting()
        case .ended:
            hasEnded = true
            startWaiting()
        case .failed(let error):
            downstream.error(error)
        }
    }

    private func startWaiting() {
        while running < maxConcurrent, !waiting.isEmpty {
            start(waiting.removeFirst())
        }
        if hasEnded, running == 0, waiting.isEmpty { downstream.completed() }
    }

    private func start(_ element: Element) {
        do {
            let inner = try selector(element).asObservable()
            running += 1
            inner.subscribe(InnerSink(of: self))
        } catch {
            downstream.error(error)
        }
    }

    private final class InnerSink: Sink<Source.Element> {
        private let outer: MergeSink
        private var key: CompositeDisposable.DisposeKey?

        init(of outer: MergeSink) {
            self.outer = outer
        }

        override func begin(with subscription: any Disposable) { key = outer.subscriptions.insert(subscription) }
        override func next(_ element: Source.Element) { outer.submit(.inner(element)) }
        override func error(_ error: any Error) { outer.submit(.failed(error)) }
        override func completed() { outer.submit(.innerEnded(key)) }
    }
}
