public import Synchronization

extension ObservableType {
    /// A stream whose events come from a closure. Source: RxSwift's `create`.
    ///
    /// `subscribe` is called for each subscription and returns what ends it; the events that it sends can come from any
    /// thread and are made serial. What it sends after a stop event, or after the end of the subscription, is dropped.
    /// A ``Pausable`` disposable is asked to hold back when a sink downstream falls behind.
    @inlinable
    @preconcurrency
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Producer { sink in
            let emitter = Emitter.begun(for: sink)
            emitter.source.setDisposable(subscribe(AnyObserver(emitter)))
        }
    }

    /// As ``create(_:)`` in two steps, so that a subscriber who leaves at the first event finds something to end.
    package static func create<Source: Disposable>(
        _ prepare: @escaping @Sendable (AnyObserver<Element>) -> Source, start: @escaping @Sendable (Source) -> Void
    ) -> Observable<Element> {
        Producer { sink in
            let emitter = Emitter.begun(for: sink)
            let source = prepare(AnyObserver(emitter))
            emitter.source.setDisposable(source)
            start(source)
        }
    }
}

/// The guard at the entrance of foreign events: it makes them serial, and silent after a stop event or `dispose`.
@usableFromInline
final class Emitter<Element>: ObserverType, Pausable, @unchecked Sendable {
    @usableFromInline let source = SingleAssignmentDisposable()
    @usableFromInline let stopped = Atomic<Bool>(false)
    @usableFromInline let drain = Drain<Event<Element>>()
    @usableFromInline let sink: Sink<Element>

    @inlinable
    init(to sink: Sink<Element>) {
        self.sink = sink
        Resources.increment()
    }

    /// An emitter that `sink` has as its subscription.
    @inlinable
    static func begun(for sink: Sink<Element>) -> Emitter {
        let emitter = Emitter(to: sink.inCurrentContext)
        sink.begin(with: emitter)
        return emitter
    }

    @inlinable
    deinit { Resources.decrement() }

    @inlinable
    func on(_ event: Event<Element>) {
        if stopped.load(ordering: .relaxed) { return }
        drain.submit(event) { event in
            if event.isStopEvent {
                if stopped.exchange(true, ordering: .acquiringAndReleasing) { return }
            } else if stopped.load(ordering: .relaxed) {
                return
            }
            sink.on(event)
            // Whoever took the stop event may keep it for later, as `delay` does; this end is over now.
            if event.isStopEvent { source.dispose() }
        }
    }

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
