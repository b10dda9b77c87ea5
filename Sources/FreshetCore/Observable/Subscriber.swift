public import Synchronization

/// The end of a chain and its one gate: nothing reaches the observer after a stop event or after `dispose`, and either
/// one ends the source, exactly once.
@usableFromInline
final class Subscriber<Observer: ObserverType>: Sink<Observer.Element>, Cancelable, Pausable, @unchecked Sendable {
    @usableFromInline let observer: Observer
    @usableFromInline let stopped = Atomic<Bool>(false)
    @usableFromInline let source = SingleAssignmentDisposable()

    @inlinable
    init(_ observer: Observer) {
        self.observer = observer
        super.init()
        Resources.increment()
    }

    @inlinable
    deinit { Resources.decrement() }

    @inlinable
    override func begin(with subscription: any Disposable) {
        source.setDisposable(subscription)
    }

    @inlinable
    override func next(_ element: Observer.Element) {
        if stopped.load(ordering: .relaxed) { return }
        observer.on(.next(element))
    }

    @inlinable
    override func error(_ error: any Error) {
        stop(with: .error(error))
    }

    @inlinable
    override func completed() {
        stop(with: .completed)
    }

    @inlinable
    func stop(with event: Event<Observer.Element>) {
        if stopped.exchange(true, ordering: .acquiringAndReleasing) { return }
        observer.on(event)
        source.dispose()
    }

    @usableFromInline var isDisposed: Bool { stopped.load(ordering: .acquiring) }

    @usableFromInline
    func dispose() {
        stopped.store(true, ordering: .releasing)
        source.dispose()
    }

    @usableFromInline
    func pause() {
        source.pause()
    }

    @usableFromInline
    func resume() {
        source.resume()
    }
}
