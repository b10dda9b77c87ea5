/// A stream of elements that can end with an error or a completion. Source: RxSwift's `Observable`.
///
/// An observable is a description: it does nothing until an observer subscribes, and each subscription runs it again,
/// unless it is shared or a subject. It can be passed to any thread, and any thread can subscribe to it.
public class Observable<Element>: ObservableType, @unchecked Sendable {
    /// The number of consecutive linear operators that lead to this stream.
    @usableFromInline final let depth: Int
    /// Whether the stream emits before it is subscribed to, and a late subscriber misses that: a subject, a shared stream, or an
    /// operator on one.
    @usableFromInline final let isHot: Bool

    @inlinable
    init() {
        (depth, isHot) = (0, false)
    }

    @inlinable
    init(depth: Int, isHot: Bool) {
        (self.depth, self.isHot) = (depth, isHot)
    }

    /// Starts the stream for `sink`, under the rules of ``Sink``. The base class never emits.
    @usableFromInline
    func run(_ sink: Sink<Element>) {
        sink.begin(with: NopDisposable.shared)
    }

    /// Sends `sink` the elements (none or one) of a stream that completes at once, without calling `begin` or `completed`.
    ///
    /// - Returns: whether this is such a stream, and its elements have been sent.
    @usableFromInline
    func emitAtOnce(to sink: Sink<Element>) -> Bool { false }

    @inlinable
    public final func asObservable() -> Observable<Element> { self }

    // Final, so that the subscriber is created where the compiler knows the types.
    @inlinable
    public final func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let subscriber = ObserverSubscriber(observer)
        subscribe(subscriber)
        return subscriber
    }
}

extension Observable {
    /// Subscribes `observer` and puts the subscription into `slot` before the stream runs, so that the observer can pause a
    /// source that emits within its subscribing call.
    @inlinable
    public final func subscribe<Observer: ObserverType>(_ observer: Observer, in slot: SerialDisposable)
    where Observer.Element == Element {
        let subscriber = ObserverSubscriber(observer)
        slot.disposable = subscriber
        subscribe(subscriber)
    }

    /// Starts the stream as an outermost subscription does: under the current thread's trampoline, so that sources that
    /// emit a sequence take turns. Operators with inner streams start them with this method. Linear operators use
    /// `run`.
    @inlinable
    final func subscribe(_ sink: Sink<Element>) {
        CurrentThreadScheduler.trampolined { run(sink) }
    }
}

/// An observable that consists of one function. Operators that are not linear return it.
@usableFromInline
final class Producer<Element>: Observable<Element>, @unchecked Sendable {
    private var body: (Sink<Element>) -> Void

    /// Creates the stream of a function that captures `source`, which can be the end of a long chain.
    /// ``StackBreakQueue`` releases such a chain in parts, so that the release does not overflow the stack.
    @usableFromInline
    init<Upstream>(after source: Observable<Upstream>, _ body: @escaping (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init(depth: source.depthOfNext, isHot: source.isHot)
    }

    @usableFromInline
    init(isHot: Bool = false, _ body: @escaping @Sendable (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init(depth: 0, isHot: isHot)
    }

    /// Creates the stream of a function whose captures are only ever copied. The compiler does not check that.
    @usableFromInline
    init(unchecked: Void, _ body: @escaping (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init()
    }

    init<Upstream>(after sources: [Observable<Upstream>], _ body: @escaping (Sink<Element>) -> Void) {
        self.body = Assembly.traced(body)
        super.init(depth: sources.lazy.map(\.depthOfNext).max() ?? 0, isHot: sources.contains(where: \.isHot))
    }

    @usableFromInline
    deinit {
        guard isStackBreakDue else { return }
        var box = Optional(Box(body))
        body = { _ in }
        StackBreakQueue.release(&box)
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        body(sink)
    }
}
