public import Synchronization

extension ObservableType {
    /// Returns a stream whose events come from a closure. Source: RxSwift's `create`.
    ///
    /// The stream calls `subscribe` for each subscription. `subscribe` returns the disposable that ends its work. The
    /// closure can send events from any thread, and the stream serializes them. The stream drops events after a stop
    /// event or after the end of the subscription. If the disposable is ``Pausable``, the stream pauses it when a sink
    /// downstream falls behind.
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

    /// Does the same as ``create(_:)`` in two steps: `prepare` makes the source, and `start` starts it. A subscriber
    /// that disposes of its subscription at the first event therefore disposes of a source that already exists.
    @inlinable
    @preconcurrency
    public static func create<Source: Disposable>(
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

/// Receives the events of foreign code. It serializes them, and drops every event after a stop event or after
/// `dispose`.
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

    /// Returns an emitter that is the subscription of `sink`.
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
            // An operator such as `delay` can keep the stop event for later, but the source ends now.
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
