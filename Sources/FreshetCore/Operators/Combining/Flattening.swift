import Synchronization

/// A stream whose sink is a ``Flattening`` one.
// With a class of its own: a closure that makes the sink would be another object.
@usableFromInline
final class FlatteningStream<Element, Result>: LinearStream<Element, Result>, @unchecked Sendable {
    @usableFromInline typealias Selector = (Element) throws -> Observable<Result>

    @usableFromInline let selector: Selector
    @usableFromInline let makeSink: (Sink<Result>, @escaping Selector) -> Sink<Element>

    /// - Parameter makeSink: captures nothing, and is made where the types are known.
    @inlinable
    init(
        _ source: Observable<Element>, _ selector: @escaping Selector,
        makeSink: @escaping (Sink<Result>, @escaping Selector) -> Sink<Element>
    ) {
        self.selector = selector
        self.makeSink = makeSink
        super.init(source) { stream, sink in
            let stream = unsafeDowncast(stream, to: FlatteningStream.self)
            return stream.makeSink(sink, stream.selector)
        }
    }
}

/// What the operators with a stream for each element have in common: what the outer source and the inner ones say arrives
/// as a signal, one at a time.
///
/// A subclass says what to do with an element, and when to start another.
@usableFromInline
class Flattening<Element, Result>: Sink<Element>, Pausable, @unchecked Sendable {
    enum Signal {
        case element(Element)
        case source(Observable<Result>)
        case ended
        case failed(any Error)
        case inner(Inner, Event<Result>)
        case resumed
    }

    final let downstream: Sink<Result>
    private let selector: (Element) throws -> Observable<Result>
    final let drain = Drain<Signal>()
    private let assignment = Assignment()
    /// Touched as the assignment says: a ``SingleAssignmentDisposable`` would be another object.
    private var outer: (any Disposable & AnyObject)?
    final let inners = LazySubscriptions()
    final let hold = PauseState()

    /// The thread that is inside the subscribing call of an inner stream.
    private let starter = Atomic<UInt>(0)

    /// How many inner streams run. Changed by the one at work alone.
    private let innerCount = Atomic<Int>(0)

    // Touched by the one at work alone.
    private var hasEnded = false
    private var generation = 0

    // Touched by the starter alone.
    private var isSpeaking = false
    private var hasLeftSignals = false

    init(to downstream: Sink<Result>, _ selector: @escaping (Element) throws -> Observable<Result>) {
        self.downstream = downstream
        self.selector = selector
    }

    /// Takes an element of the outer stream.
    func accept(_ element: Element) {}

    /// Takes the stream for an element while no other runs.
    func launch(_ source: Observable<Result>) { start(source) }

    /// One more inner stream has ended. It is not the place to start another.
    func retired() {}

    /// There is room for another inner stream.
    func refill() {}

    /// Whether nothing runs, and nothing is left to be run.
    var isIdle: Bool { running == 0 }

    /// Takes the outer source's subscription.
    func admit(_ subscription: any Disposable & AnyObject) -> any Disposable & AnyObject { subscription }

    final override func begin(with subscription: any Disposable & AnyObject) {
        let subscription = admit(subscription)
        outer = subscription
        if assignment.assign(subscription) { outer = nil }
        downstream.begin(with: self)
    }

    override func next(_ element: Element) {
        if !handleAtOnce(element) { handleInTurn(element) }
    }

    // Apart, so that the way above does without what only this one needs.
    @inline(never)
    final func handleInTurn(_ element: Element) {
        if drain.enter() {
            if !isDisposed { accept(element) }
            drain.finishTurn(to: handle)
        } else {
            submit(.element(element))
        }
    }

    /// Takes `element` if no inner stream runs. Then nobody else can be at work or begin to, so that a stream of one
    /// element needs neither the drain nor a subscription: it is over as soon as it has begun.
    final func handleAtOnce(_ element: Element) -> Bool {
        // In this order: first nothing is left that could begin a stream, and then none runs.
        guard drain.isFree, running == 0 else { return false }
        if isDisposed { return true }
        guard let source = source(for: element), !source.emitAtOnce(to: downstream) else { return true }
        launchInTurn(source)
        return true
    }

    @inline(never)
    private func launchInTurn(_ source: Observable<Result>) {
        // A stream that was cancelled may be there just now, to find that it is not wanted.
        guard drain.enter() else { return submit(.source(source)) }
        if !isDisposed { launch(source) }
        drain.finishTurn(to: handle)
    }

    final override func error(_ error: any Error) {
        disposeOfOuter()
        submit(.failed(error))
    }

    final override func completed() {
        disposeOfOuter()
        guard drain.enter() else { return submitEnd() }
        sourceHasEnded()
        if !drain.step() { drainRest() }
    }

    // Apart, for they name a type of signals, which is looked up before a function branches.

    @inline(never)
    private func submitEnd() { submit(.ended) }

    @inline(never)
    private func drainRest() { drain.drain(to: handle) }

    private func sourceHasEnded() {
        if isDisposed { return }
        hasEnded = true
        completeIfOver()
    }

    final var running: Int {
        get { innerCount.load(ordering: .acquiring) }
        set { innerCount.store(newValue, ordering: .releasing) }
    }

    final var isDisposed: Bool { inners.isDisposed }

    @usableFromInline
    final func dispose() {
        inners.dispose()
        disposeOfOuter()
    }

    @usableFromInline
    final func pause() {
        hold.begin()
        if assignment.hold(true) {
            (outer as? any Pausable)?.pause()
            releaseSource()
        }
        inners.pause()
    }

    @usableFromInline
    final func resume() {
        let (_, isLate) = hold.end()
        inners.resume()
        if assignment.hold(false) {
            (outer as? any Pausable)?.resume()
            releaseSource()
        }
        if isLate { drain.submit(.resumed, to: handle) }
    }

    private func disposeOfOuter() {
        guard assignment.close().isUser else { return }
        outer?.dispose()
        releaseSource()
    }

    private func releaseSource() {
        if assignment.release() { outer = nil }
    }

    /// The stream for `element`; an error of the selector ends everything.
    final func source(for element: Element) -> Observable<Result>? {
        do {
            return try selector(element)
        } catch {
            downstream.error(error)
            return nil
        }
    }

    /// Starts the stream for `element`, which may have ended when the call returns.
    ///
    /// - Returns: the number of its subscription.
    @discardableResult
    final func start(_ element: Element) -> Int {
        source(for: element).map(start) ?? -1
    }

    @discardableResult
    final func start(_ source: Observable<Result>) -> Int {
        if source.emitAtOnce(to: downstream) {
            retired()
            return -1
        }
        let inner = Inner(of: self, generation)
        running += 1
        hasLeftSignals = false
        starter.store(ThreadIdentity.current, ordering: .relaxed)
        source.subscribe(inner)
        starter.store(0, ordering: .relaxed)
        return inner.number
    }

    /// Ends the one inner stream that runs before its time; what it has left behind is not heard any more.
    final func cancelInner(_ number: Int) {
        generation += 1
        guard running > 0 else { return }
        running = 0
        inners.remove(number)
    }

    final func handle(_ signal: Signal) {
        if isDisposed { return }
        switch signal {
        case .element(let element): accept(element)
        case .source(let source): launch(source)
        case .ended: sourceHasEnded()
        case .failed(let error): downstream.error(error)
        case .inner(let inner, let event): if isCurrent(inner) { handle(event) }
        case .resumed:
            refill()
            completeIfOver()
        }
    }

    final func submit(_ signal: Signal) {
        if isStarter { hasLeftSignals = true }
        drain.submit(signal, to: handle)
    }

    private var isStarter: Bool { starter.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Whether an inner stream speaks within its subscribing call, which is made by the one at work, with no observer
    /// being told and nothing left behind since then: its turn is now, whatever others have left in the meantime.
    final var isDirect: Bool { isStarter && !isSpeaking && !hasLeftSignals }

    /// Tells downstream of an element at its turn. What that makes the sources say has to wait until it is done.
    final func speak(_ element: Result) {
        isSpeaking = true
        downstream.next(element)
        isSpeaking = false
    }

    final func isCurrent(_ inner: Inner) -> Bool {
        inner.generation == generation && !isDisposed
    }

    private func handle(_ event: Event<Result>) {
        switch event {
        case .next(let element): downstream.next(element)
        case .error(let error): downstream.error(error)
        case .completed:
            retire()
            refill()
            completeIfOver()
        }
    }

    final func retire() {
        running -= 1
        retired()
    }

    private func completeIfOver() {
        if hasEnded, isIdle, !isDisposed { downstream.completed() }
    }
}
