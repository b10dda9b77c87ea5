import Synchronization

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
        let source = asObservable()
        return source.linear { EagerOuter(EagerCoordinator(to: $0, maxConcurrent, selector)) }
    }
}

private enum EagerSignal<Element, Source: ObservableConvertibleType> {
    case outer(Event<Element>)
    case inner(EagerStream<Source.Element>, Event<Source.Element>)
    case resumed
}

/// The state of one inner stream: the elements that it has emitted before its turn, and whether it has ended.
private final class EagerStream<Element> {
    // Accessed only under the drain.
    var waiting = Fifo<Element>()
    var hasEnded = false

    /// The number of elements that have arrived and have not been passed on.
    private let outstanding = Atomic<Int>(0)
    /// The subscriptions of the operator hold the strong reference.
    private weak var arbiter: PauseArbiter?

    static var mostWaiting: Int { 64 }
    static var fewWaiting: Int { 32 }

    func begin(with arbiter: PauseArbiter) { self.arbiter = arbiter }

    /// Submits an element. It pauses the stream on the stream's own thread, so that a stream that emits in a loop is
    /// paused in time.
    func sent(_ submit: () -> Void) {
        outstanding.add(1, ordering: .acquiringAndReleasing)
        submit()
        guard outstanding.load(ordering: .acquiring) >= Self.mostWaiting else { return }
        arbiter?.hold()
        if outstanding.load(ordering: .acquiring) <= Self.fewWaiting { arbiter?.release() }
    }

    /// The coordinator calls this for each element before it passes the element on.
    func elementDelivered() {
        // A thread that finds too many elements has already paused the stream, or is about to pause it and checks the
        // number again.
        let left = outstanding.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left == Self.fewWaiting { arbiter?.release() }
    }
}

private final class EagerCoordinator<Element, Source: ObservableConvertibleType>:
    Coordinator<EagerSignal<Element, Source>>, SubscriptionOwner
{
    let downstream: Sink<Source.Element>
    let maxConcurrent: Int
    private let selector: (Element) throws -> Source
    /// The number of elements that have arrived and whose inner streams have not ended.
    let outstanding = Atomic<Int>(0)
    weak var arbiter: PauseArbiter?
    private let pauseState = PauseState()

    // Accessed only under the drain.
    private var current: EagerStream<Source.Element>?
    private var following = Fifo<EagerStream<Source.Element>>()
    private var unstarted = Fifo<Element>()
    private var running = 0
    private var hasEnded = false

    init(to downstream: Sink<Source.Element>, _ maxConcurrent: Int, _ selector: @escaping (Element) throws -> Source) {
        self.downstream = downstream
        self.maxConcurrent = maxConcurrent
        self.selector = selector
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
                let stream = EagerStream<Source.Element>()
                running += 1
                if current == nil { current = stream } else { following.append(stream) }
                source.subscribe(EagerInner(stream, of: self))
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
            retire()
            current = following.popFirst()
        }
        refill()
        completeIfOver()
    }

    private func deliver(_ element: Source.Element, of stream: EagerStream<Source.Element>) {
        stream.elementDelivered()
        downstream.next(element)
    }

    private func retire() {
        running -= 1
        // A thread that finds the operator full has already paused the source, or is about to pause it and checks the
        // number again.
        if outstanding.subtract(1, ordering: .acquiringAndReleasing).newValue == maxConcurrent - 1 {
            arbiter?.release()
        }
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

/// The sink of the outer source. It pauses the source on the source's own thread, so that a source that emits in a loop
/// is paused in time.
private final class EagerOuter<Element, Source: ObservableConvertibleType>: Sink<Element> {
    private let coordinator: EagerCoordinator<Element, Source>
    private var number = -1

    init(_ coordinator: EagerCoordinator<Element, Source>) {
        self.coordinator = coordinator
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        let arbiter = PauseArbiter(subscription)
        coordinator.arbiter = arbiter
        number = coordinator.subscriptions.insert(arbiter)
        coordinator.downstream.begin(with: OwnedSubscription(of: coordinator))
    }

    override func next(_ element: Element) {
        coordinator.outstanding.add(1, ordering: .acquiringAndReleasing)
        coordinator.submit(.outer(.next(element)))
        guard isFull else { return }
        coordinator.arbiter?.hold()
        if !isFull { coordinator.arbiter?.release() }
    }

    override func error(_ error: any Error) {
        coordinator.subscriptions.remove(number)
        coordinator.submit(.outer(.error(error)))
    }

    override func completed() {
        coordinator.subscriptions.remove(number)
        coordinator.submit(.outer(.completed))
    }

    private var isFull: Bool { coordinator.outstanding.load(ordering: .acquiring) >= coordinator.maxConcurrent }
}

private final class EagerInner<Element, Source: ObservableConvertibleType>: Sink<Source.Element> {
    private let stream: EagerStream<Source.Element>
    private let coordinator: EagerCoordinator<Element, Source>
    private var number = -1

    init(_ stream: EagerStream<Source.Element>, of coordinator: EagerCoordinator<Element, Source>) {
        self.stream = stream
        self.coordinator = coordinator
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        let arbiter = PauseArbiter(subscription)
        stream.begin(with: arbiter)
        number = coordinator.subscriptions.insert(arbiter)
    }

    override func next(_ element: Source.Element) {
        stream.sent { coordinator.submit(.inner(stream, .next(element))) }
    }

    override func error(_ error: any Error) {
        coordinator.subscriptions.remove(number)
        coordinator.submit(.inner(stream, .error(error)))
    }

    override func completed() {
        coordinator.subscriptions.remove(number)
        coordinator.submit(.inner(stream, .completed))
    }
}
