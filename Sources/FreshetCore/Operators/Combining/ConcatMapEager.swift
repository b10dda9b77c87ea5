extension ObservableType {
    /// Subscribes to a stream for each element, to at most `maxConcurrent` at once, and emits their elements in the
    /// order of the source elements. An inner stream can emit before its turn, and its elements then wait.
    /// Source: RxJava's `concatMapEager`.
    ///
    /// An inner stream is paused, if it supports pausing, while 64 of its elements wait. An inner stream whose elements
    /// wait counts as running. While `maxConcurrent` inner streams run, `self` is paused, and elements that it emits
    /// nevertheless wait. While the operator is paused, waiting elements stay in their queues and no inner stream
    /// starts. The first error of `self`, of an inner stream or of `selector` ends the stream at once.
    @preconcurrency
    public func concatMapEager<Source: ObservableConvertibleType>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        precondition(maxConcurrent > 0, "concatMapEager(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        return asObservable().linear { EagerOuterObserver(of: EagerCoordinator(to: $0, maxConcurrent, selector)) }
    }
}

private enum EagerSignal<Element, Source: ObservableConvertibleType> {
    case outer(Event<Element>)
    case inner(EagerStream<Source.Element>, Event<Source.Element>)
    case resumed
}

/// A source that is paused while its backlog is full: the outer source, or an inner stream.
private class EagerSource {
    let backlog: Backlog
    /// The subscriptions of the operator hold the strong reference.
    weak var arbiter: PauseArbiter?

    init(limits: ClosedRange<Int>) {
        backlog = Backlog(limits: limits)
    }
}

/// The state of one inner stream: the elements that it has emitted before its turn, and whether it has ended.
private final class EagerStream<Element>: EagerSource {
    // Accessed only under the drain.
    var waiting = Fifo<Element>()
    var hasEnded = false
}

private final class EagerCoordinator<Element, Source: ObservableConvertibleType>:
    Coordinator<EagerSignal<Element, Source>, Source.Element>, SubscriptionOwner
{
    /// Its backlog is the elements that have arrived and whose inner streams have not ended.
    let outer: EagerSource
    private let maxConcurrent: Int
    private let selector: (Element) throws -> Source
    private let pauseState = PauseState()

    // Accessed only under the drain.
    private var current: EagerStream<Source.Element>?
    private var following = Fifo<EagerStream<Source.Element>>()
    private var unstarted = Fifo<Element>()
    private var running = 0
    private var hasEnded = false

    init(to downstream: Sink<Source.Element>, _ maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source) {
        self.maxConcurrent = maxConcurrent
        outer = EagerSource(limits: maxConcurrent - 1...maxConcurrent)
        self.selector = selector
        super.init(to: downstream)
    }

    override func handle(_ signal: EagerSignal<Element, Source>) {
        switch signal {
        case .outer(.next(let element)):
            unstarted.append(element)
            refill()
        case .outer(.completed):
            hasEnded = true
            completeIfOver()
        case .inner(let stream, .next(let element)):
            let isItsTurn = stream === current && stream.waiting.isEmpty
            if isItsTurn { deliver(element, of: stream) } else { stream.waiting.append(element) }
        case .inner(let stream, .completed):
            stream.hasEnded = true
            if stream === current { advance() }
        case .resumed:
            advance()
        case .outer(.error(let error)), .inner(_, .error(let error)):
            downstream.error(error)
        }
    }

    private func refill() {
        while running < maxConcurrent, !subscriptions.isDisposed, !unstarted.isEmpty, !pauseState.defersDueWork(),
            let element = unstarted.popFirst()
        {
            do {
                let source = try selector(element).asObservable()
                let stream = EagerStream<Source.Element>(limits: 32...64)
                running += 1
                if current == nil { current = stream } else { following.append(stream) }
                source.subscribe(EagerObserver(stream, of: self) { .inner(stream, $0) })
            } catch {
                downstream.error(error)
            }
        }
    }

    /// Emits the waiting elements of the current stream. Continues with the following streams until one of them still
    /// runs.
    private func advance() {
        while let stream = current {
            while !subscriptions.isDisposed, !stream.waiting.isEmpty {
                if pauseState.defersDueWork() { return }
                if let element = stream.waiting.popFirst() { deliver(element, of: stream) }
            }
            if !stream.hasEnded || subscriptions.isDisposed { break }
            running -= 1
            outer.backlog.remove(resuming: outer.arbiter)
            current = following.popFirst()
        }
        refill()
        completeIfOver()
    }

    private func deliver(_ element: Source.Element, of stream: EagerStream<Source.Element>) {
        stream.backlog.remove(resuming: stream.arbiter)
        downstream.next(element)
    }

    private func completeIfOver() {
        if hasEnded, running == 0, unstarted.isEmpty, !subscriptions.isDisposed { downstream.completed() }
    }

    func dispose() { subscriptions.dispose() }

    func pause() {
        pauseState.begin()
        subscriptions.pause()
    }

    func resume() {
        let (_, hasDeferredWork) = pauseState.end()
        subscriptions.resume()
        if hasDeferredWork { submit(.resumed) }
    }
}

/// The observer of a source that is paused while its backlog is full.
private class EagerObserver<Element, Signal>: InnerObserver<Element, Signal> {
    private let source: EagerSource

    init<Result>(
        _ source: EagerSource, of coordinator: Coordinator<Signal, Result>,
        _ signal: @escaping (Event<Element>) -> Signal
    ) {
        self.source = source
        super.init(of: coordinator, signal)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        let arbiter = PauseArbiter(subscription)
        source.arbiter = arbiter
        super.begin(with: arbiter)
    }

    override func next(_ element: Element) {
        source.backlog.add()
        super.next(element)
        source.backlog.pauseIfFull(source.arbiter)
    }
}

private final class EagerOuterObserver<Element, Source: ObservableConvertibleType>:
    EagerObserver<Element, EagerSignal<Element, Source>>
{
    private let coordinator: EagerCoordinator<Element, Source>

    init(of coordinator: EagerCoordinator<Element, Source>) {
        self.coordinator = coordinator
        super.init(coordinator.outer, of: coordinator) { .outer($0) }
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        super.begin(with: subscription)
        coordinator.downstream.begin(with: OwnedSubscription(of: coordinator))
    }
}
