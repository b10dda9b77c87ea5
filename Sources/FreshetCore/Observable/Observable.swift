/// A stream of elements that ends, or does not, with an error or a completion. Source: RxSwift's `Observable`.
///
/// An observable is a description: nothing happens before somebody subscribes, and each subscription runs it anew, unless
/// it is shared or a subject. It can be handed to any thread and subscribed to from any.
public class Observable<Element>: ObservableType, @unchecked Sendable {
    /// How many linear operators in a row lead here.
    @usableFromInline final let depth: Int

    @inlinable
    init() {
        depth = 0
    }

    @inlinable
    init(depth: Int) {
        self.depth = depth
    }

    /// Starts the stream for `sink`, under the rules of ``Sink``. The base class never emits.
    @usableFromInline
    func run(_ sink: Sink<Element>) {
        sink.begin(with: NopDisposable.shared)
    }

    /// Sends `sink` all elements, none or one, of a stream that ends at once without an error; no subscription and no end
    /// is heard of. Says whether this is such a stream, and whether that was done.
    @usableFromInline
    func emitAtOnce(to sink: Sink<Element>) -> Bool { false }

    @inlinable
    public final func asObservable() -> Observable<Element> { self }

    // Final, so that the subscriber is made where the types are known.
    @inlinable
    public final func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let subscriber = ObserverSubscriber(observer)
        subscribe(subscriber)
        return subscriber
    }
}

extension Observable {
    /// Starts the stream as an outermost subscription does: under the current thread's trampoline, so that sources
    /// which emit a sequence take turns. Operators with inner streams start them with this; linear ones use `run`.
    @inlinable
    final func subscribe(_ sink: Sink<Element>) {
        CurrentThreadScheduler.trampolined { run(sink) }
    }
}

/// An observable that is one function: what operators return that are not linear.
@usableFromInline
final class Producer<Element>: Observable<Element>, @unchecked Sendable {
    private var body: (Sink<Element>) -> Void

    /// For a function that leads to `source`, perhaps the end of a long chain: that is let go of in flights.
    @usableFromInline
    init<Upstream>(after source: Observable<Upstream>, _ body: @escaping (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init(depth: source.depthOfNext)
    }

    @usableFromInline
    init(_ body: @escaping @Sendable (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init()
    }

    /// For a function whose captures are only ever copied; the compiler does not check that.
    @usableFromInline
    init(unchecked: Void, _ body: @escaping (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init()
    }

    init<Upstream>(after sources: [Observable<Upstream>], _ body: @escaping (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init(depth: sources.lazy.map(\.depthOfNext).max() ?? 0)
    }

    @usableFromInline
    deinit {
        guard isStackBreakDue else { return }
        var cargo = Optional(Box(body))
        body = { _ in }
        StackBreakQueue.release(&cargo)
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        body(sink)
    }
}
