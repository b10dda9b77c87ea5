/// The end of a chain of operators. It lets no event reach the observer after a stop event or after `dispose`. It ends
/// the source exactly once, at the stop event or at `dispose`.
@usableFromInline
class Subscriber<Element>: Sink<Element>, Cancelable, Pausable, @unchecked Sendable {
    @usableFromInline final let assignment = Assignment()
    /// Accessed only when ``assignment`` permits it.
    private final var source: (any Disposable & AnyObject)?
    #if DEBUG
        @usableFromInline final let grammar = GrammarCheck()
    #endif

    @usableFromInline
    override init() {
        Resources.increment()
        super.init()
    }

    deinit { Resources.decrement() }

    /// Sends the observer the stop event: `error`, or the completion if `error` is `nil`.
    @usableFromInline
    func stop(with error: (any Error)?) {}

    /// Called once when the subscription ends for any reason.
    @usableFromInline
    func ended() {}

    /// Releases the observer after its stop event, because the observer may own this subscription. A disposal keeps the
    /// observer until the subscription is released: another thread may be delivering an event to it.
    @usableFromInline
    func releaseObserver() {}

    final override func begin(with subscription: any Disposable & AnyObject) {
        let subscription = subscription.pausedInCurrentContext
        source = subscription
        if assignment.assign(subscription) { source = nil }
    }

    final override func error(_ error: any Error) { stopOnce(with: error) }
    final override func completed() { stopOnce(with: nil) }

    private final func stopOnce(with error: (any Error)?) {
        let (isFirst, isUser) = assignment.close()
        if !isOver(!isFirst) {
            #if DEBUG
                grammar.begin(isStop: true)
                defer { grammar.end() }
            #endif
            stop(with: error)
            ended()
            releaseObserver()
        }
        if isUser { disposeOfSource() }
    }

    /// Whether an event is dropped because the subscription has ended. A debug build reports the event if a stop event
    /// ended the subscription.
    @inlinable
    final func isOver(_ hasStopped: Bool) -> Bool {
        #if DEBUG
            if hasStopped { grammar.late() }
        #endif
        return hasStopped
    }

    @usableFromInline final var isDisposed: Bool { assignment.isClosed }

    @usableFromInline
    final func dispose() {
        let (isFirst, isUser) = assignment.close()
        if isUser { disposeOfSource() }
        if isFirst { ended() }
    }

    @usableFromInline
    final func pause() {
        guard assignment.hold(true) else { return }
        (source as? any Pausable)?.pause()
        releaseSource()
    }

    @usableFromInline
    final func resume() {
        guard assignment.hold(false) else { return }
        (source as? any Pausable)?.resume()
        releaseSource()
    }

    private final func disposeOfSource() {
        source?.dispose()
        releaseSource()
    }

    private final func releaseSource() {
        if assignment.release() { source = nil }
    }
}

/// A subscriber with a closure for each kind of event.
@usableFromInline
final class ClosureSubscriber<Element>: Subscriber<Element>, @unchecked Sendable {
    // Unchecked, because each element reads it.
    @exclusivity(unchecked) private var onNext: ((Element) -> Void)?
    private var onError: ((any Error) -> Void)?
    private var onCompleted: (() -> Void)?
    private var onDisposed: (() -> Void)?
    private let callStack: [String]

    @usableFromInline
    init(
        onNext: ((Element) -> Void)?, onError: ((any Error) -> Void)?, onCompleted: (() -> Void)?,
        onDisposed: (() -> Void)?
    ) {
        self.onNext = onNext
        self.onError = onError
        self.onCompleted = onCompleted
        self.onDisposed = onDisposed
        callStack = onError == nil ? Hooks.subscriptionCallStack : []
    }

    override func next(_ element: Element) {
        if isOver(assignment.isClosed) { return }
        #if DEBUG
            grammar.begin()
            defer { grammar.end() }
        #endif
        onNext?(element)
    }

    override func stop(with error: (any Error)?) {
        guard let error else {
            onCompleted?()
            return
        }
        if let onError { onError(error) } else { Hooks.defaultErrorHandler(callStack, error) }
    }

    override func ended() { onDisposed?() }

    override func releaseObserver() { (onNext, onError, onCompleted, onDisposed) = (nil, nil, nil, nil) }
}

/// A subscriber with an observer for all events.
@usableFromInline
final class ObserverSubscriber<Observer: ObserverType>: Subscriber<Observer.Element>, @unchecked Sendable {
    // Unchecked, because each element reads it.
    @exclusivity(unchecked) @usableFromInline var observer: Observer?
    // Created in the inlinable initializer, where the compiler knows the types. Code in this module would use the
    // generic layout of the element.
    @usableFromInline let send: (ObserverSubscriber, Observer.Element) -> Void
    @usableFromInline let end: (ObserverSubscriber, (any Error)?) -> Void

    @inlinable
    init(_ observer: Observer) {
        self.observer = observer
        send = { $0.observer?.on(.next($1)) }
        end = { $0.observer?.on($1.map(Event.error) ?? .completed) }
        super.init()
    }

    @usableFromInline
    override func next(_ element: Observer.Element) {
        if isOver(assignment.isClosed) { return }
        #if DEBUG
            grammar.begin()
            defer { grammar.end() }
        #endif
        send(self, element)
    }

    @usableFromInline
    override func stop(with error: (any Error)?) {
        end(self, error)
    }

    @usableFromInline
    override func releaseObserver() { observer = nil }
}
