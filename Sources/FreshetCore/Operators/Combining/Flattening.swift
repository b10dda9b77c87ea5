import Synchronization

/// The base class of operators that subscribe to a stream for each element. The events of the outer source and of the
/// inner streams arrive as signals, one at a time.
///
/// A subclass decides what happens to an element, and when another inner stream starts.
@usableFromInline
class Flattening<Element, Result>: Sink<Element>, SubscriptionOwner {
    enum Signal {
        case element(Element)
        case source(Observable<Result>)
        /// An inner stream that was subscribed to before its turn.
        case joined(Inner)
        case ended
        case failed(any Error)
        case inner(Inner, Event<Result>)
        case resumed
    }

    final let downstream: Sink<Result>
    final let selector: (Element) throws -> Observable<Result>
    final let drain = Drain<Signal>()
    private let assignment = Assignment()
    /// Accessed only when the assignment permits it. A ``SingleAssignmentDisposable`` would be another object.
    private var outer: (any Disposable & AnyObject)?
    final let inners = LazySubscriptions()
    final let pauseState = PauseState()

    /// The thread that is subscribing to an inner stream, or zero.
    private let starter = Atomic<UInt>(0)

    /// The number of running inner streams. Only the draining thread changes it.
    private let innerCount = Atomic<Int>(0)

    // Accessed only by the draining thread.
    private var hasEnded = false
    final private(set) var generation = 0

    // Accessed only by the thread that is subscribing to an inner stream.
    private var isDelivering = false
    private var hasLeftSignals = false

    @usableFromInline
    init(to downstream: Sink<Result>, _ selector: @escaping (Element) throws -> Observable<Result>) {
        self.downstream = downstream
        self.selector = selector
    }

    /// Receives an element of the outer source.
    func accept(_ element: Element) { source(for: element).map(launch) }

    /// Receives the stream for an element.
    func launch(_ source: Observable<Result>) { start(source) }

    /// Receives an element while another signal is being handled.
    func enqueue(_ element: Element) { enqueue(element, mayJoin: true) }

    /// Receives an inner stream that was subscribed to before its turn.
    func joined(_ inner: Inner) { running += 1 }

    /// Called before the stream for an element is launched that ``handleAtOnce(_:)`` has received.
    func launches() {}

    /// Called when an inner stream ends, possibly while another signal is being handled.
    func ends() {}

    /// Called when the end of an inner stream is handled. An override must not start another stream.
    func retired() {}

    /// Called when there is room for another inner stream.
    func refill() {}

    /// Called when work that a pause has postponed is due.
    func resumed() { refill() }

    /// Whether no inner stream runs, and none waits to be started.
    var isIdle: Bool { running == 0 }

    /// Receives the subscription of the outer source, and returns the disposable that represents it.
    func admit(_ subscription: any Disposable & AnyObject) -> any Disposable & AnyObject { subscription }

    final override func begin(with subscription: any Disposable & AnyObject) {
        let subscription = admit(subscription)
        outer = subscription
        if assignment.assign(subscription) { outer = nil }
        downstream.begin(with: OwnedSubscription(of: self))
    }

    override func next(_ element: Element) {
        if !handleAtOnce(element) { handleInTurn(element) }
    }

    // A separate function, so that `next` does not do the setup that only this function needs.
    @inline(never)
    final func handleInTurn(_ element: Element) {
        if drain.enter() {
            if !isDisposed { accept(element) }
            drain.finishTurn(to: handle)
        } else {
            enqueue(element)
        }
    }

    /// Handles `element` if no inner stream runs, and returns `false` otherwise. Without an inner stream, no other
    /// thread can be draining or begin to drain. A stream of one element that emits at once therefore needs neither the
    /// drain nor a subscription.
    final func handleAtOnce(_ element: Element) -> Bool {
        // The drain is checked first: if it is free, no waiting signal can start a stream after the second check.
        guard drain.isFree, running == 0 else { return false }
        if isDisposed { return true }
        guard let source = source(for: element), !source.emitAtOnce(to: downstream) else { return true }
        launchInTurn(source)
        return true
    }

    @inline(never)
    private func launchInTurn(_ source: Observable<Result>) {
        launches()
        // A cancelled inner stream can be draining at this moment, before it finds that its event is dropped.
        guard drain.enter() else { return enqueue(source, mayJoin: true) }
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

    // Separate functions, because they use the type of the signals, and a function looks up the metadata of a type
    // before its first branch.

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

    final func dispose() {
        inners.dispose()
        disposeOfOuter()
    }

    final func pause() {
        pauseState.begin()
        pauseOrResumeOuter()
        inners.pause()
    }

    func resume() {
        let (_, hasDeferredWork) = pauseState.end()
        inners.resume()
        if hasDeferredWork { drain.submit(.resumed, to: handle) }
        // The outer source comes last: one that emits within the call would emit everything before the first waiting stream starts.
        pauseOrResumeOuter()
    }

    // An element of an inner stream can pause the operator again during a resume.
    private func pauseOrResumeOuter() {
        guard assignment.hold(pauseState.isOn) else { return }
        if let outer = outer as? any Pausable { pauseState.apply(to: outer) }
        releaseSource()
    }

    /// Whether an inner stream may start now. A hot one does not wait for a resume, because its elements would be lost. The others
    /// do: their elements would overtake those of the streams that are paused.
    final func mayStart(_ source: Observable<Result>) -> Bool { source.isHot || !pauseState.defersDueWork() }

    private func disposeOfOuter() {
        guard assignment.close().isUser else { return }
        outer?.dispose()
        releaseSource()
    }

    private func releaseSource() {
        if assignment.release() { outer = nil }
    }

    /// Returns the stream for `element`. An error that the selector throws ends the stream downstream.
    final func source(for element: Element) -> Observable<Result>? {
        do {
            return try selector(element)
        } catch {
            downstream.error(error)
            return nil
        }
    }

    /// Starts the stream for `element`. The stream can have ended when the call returns.
    ///
    /// - Returns: the number of the stream's subscription.
    @discardableResult
    final func start(_ element: Element) -> Int {
        source(for: element).map(start) ?? -1
    }

    @discardableResult
    final func start(_ source: Observable<Result>) -> Int {
        if source.emitAtOnce(to: downstream) {
            ends()
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

    /// Ends the only running inner stream early. Signals that it has already submitted are dropped.
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
        case .joined(let inner): joined(inner)
        case .ended: sourceHasEnded()
        case .failed(let error): downstream.error(error)
        case .inner(let inner, let event): if isCurrent(inner) { handle(event) } else { inner.keep(event) }
        case .resumed:
            resumed()
            completeIfOver()
        }
    }

    final func submit(_ signal: Signal) {
        if isStarter { hasLeftSignals = true }
        drain.submit(signal, to: handle)
    }

    private var isStarter: Bool { starter.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Whether the current event of an inner stream can pass without the drain. That is so if the stream emits it
    /// within its subscribing call, no element is being delivered, and the call has submitted no signal. The draining
    /// thread makes that call, so the event comes before all signals that other threads have submitted meanwhile.
    final var isDirect: Bool { isStarter && !isDelivering && !hasLeftSignals }

    /// Delivers `element` downstream. Events that the sources emit during the delivery wait until it is done.
    final func deliver(_ element: Result) {
        isDelivering = true
        downstream.next(element)
        isDelivering = false
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
