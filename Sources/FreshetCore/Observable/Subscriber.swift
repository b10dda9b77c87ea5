public import Synchronization

/// The end of a chain and its one gate: nothing reaches the observer after a stop event or after `dispose`, and either
/// one ends the source, exactly once.
@usableFromInline
class Subscriber<Element>: Sink<Element>, Cancelable, Pausable, @unchecked Sendable {
    @usableFromInline final let stopped = Atomic<Bool>(false)
    private let source = SingleAssignmentDisposable()
    #if DEBUG
        @usableFromInline final let grammar = GrammarCheck()
    #endif

    @usableFromInline
    override init() {
        super.init()
        Resources.increment()
    }

    deinit { Resources.decrement() }

    /// Tells the observer how the stream ended.
    @usableFromInline
    func stop(with error: (any Error)?) {}

    /// The subscription is over, whatever ended it.
    @usableFromInline
    func ended() {}

    final override func begin(with subscription: any Disposable) {
        source.setDisposable(subscription)
    }

    /// Whether an event comes to nobody.
    @inlinable
    final func isOver(_ hasStopped: Bool) -> Bool {
        #if DEBUG
            if hasStopped { grammar.late() }
        #endif
        return hasStopped
    }

    final override func error(_ error: any Error) {
        if isOver(stopped.exchange(true, ordering: .acquiringAndReleasing)) { return }
        #if DEBUG
            grammar.begin(isStop: true)
            defer { grammar.end() }
        #endif
        stop(with: error)
        ended()
        source.dispose()
    }

    final override func completed() {
        if isOver(stopped.exchange(true, ordering: .acquiringAndReleasing)) { return }
        #if DEBUG
            grammar.begin(isStop: true)
            defer { grammar.end() }
        #endif
        stop(with: nil)
        ended()
        source.dispose()
    }

    @usableFromInline final var isDisposed: Bool { stopped.load(ordering: .acquiring) }

    @usableFromInline
    final func dispose() {
        let isFirst = !stopped.exchange(true, ordering: .acquiringAndReleasing)
        source.dispose()
        if isFirst { ended() }
    }

    @usableFromInline
    final func pause() {
        source.pause()
    }

    @usableFromInline
    final func resume() {
        source.resume()
    }
}

/// A subscriber with a closure for each kind of event.
@usableFromInline
final class ClosureSubscriber<Element>: Subscriber<Element>, @unchecked Sendable {
    private let onNext: ((Element) -> Void)?
    private let onError: ((any Error) -> Void)?
    private let onCompleted: (() -> Void)?
    private let onDisposed: (() -> Void)?
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
        if isOver(stopped.load(ordering: .relaxed)) { return }
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
}

/// A subscriber with an observer for all events.
@usableFromInline
final class ObserverSubscriber<Observer: ObserverType>: Subscriber<Observer.Element>, @unchecked Sendable {
    @usableFromInline let observer: Observer
    /// Sends an element to the observer. Made where the types are known, so that the event needs no metadata.
    @usableFromInline let send: (ObserverSubscriber, UnsafePointer<Observer.Element>) -> Void

    @inlinable
    init(_ observer: Observer) {
        self.observer = observer
        send = { $0.observer.on(.next($1.pointee)) }
        super.init()
    }

    @usableFromInline
    override func next(_ element: Observer.Element) {
        if isOver(stopped.load(ordering: .relaxed)) { return }
        #if DEBUG
            grammar.begin()
            defer { grammar.end() }
        #endif
        withUnsafePointer(to: element) { send(self, $0) }
    }

    @usableFromInline
    override func stop(with error: (any Error)?) {
        observer.on(error.map { .error($0) } ?? .completed)
    }
}
