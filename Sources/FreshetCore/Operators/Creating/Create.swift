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
            let emitter = Emitter(to: sink)
            sink.begin(with: emitter)
            emitter.source.setDisposable(subscribe(AnyObserver(emitter)))
        }
    }

    /// As ``create(_:)``, but a stop event alone does not dispose of what `subscribe` returned: whoever is downstream does.
    package static func lasting(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Producer { sink in
            let emitter = Emitter(to: sink, isLasting: true)
            sink.begin(with: emitter)
            emitter.source.setDisposable(subscribe(AnyObserver(emitter)))
        }
    }

    /// As ``create(_:)`` in two steps, so that a subscriber who leaves at the first event finds something to end.
    package static func create<Source: Disposable>(
        _ prepare: @escaping @Sendable (AnyObserver<Element>) -> Source, start: @escaping @Sendable (Source) -> Void
    ) -> Observable<Element> {
        Producer { sink in
            let emitter = Emitter(to: sink)
            sink.begin(with: emitter)
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
    /// Whether what the closure returned is left to whoever is downstream, stop event or not.
    @usableFromInline let isLasting: Bool

    @inlinable
    init(to sink: Sink<Element>, isLasting: Bool = false) {
        self.sink = sink
        self.isLasting = isLasting
        Resources.increment()
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
            if event.isStopEvent && !isLasting { source.dispose() }
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
