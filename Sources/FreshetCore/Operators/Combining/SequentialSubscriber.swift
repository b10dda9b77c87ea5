import Synchronization

/// Subscribes to sources one at a time and passes their elements on unchanged. `concat`, `startWith`, `andThen`,
/// `catch` and `retry` use it.
///
/// Sources that run one at a time need no drain. A counter ensures that a source that ends within its subscribing call
/// is followed by the next one from a loop instead of a nested call. If one of these operators is the source of
/// another, it adds a ``SourceProvider`` to the existing subscriber instead of a sink of its own. A provider is removed
/// with its last source. So a stream that continues with itself without end grows neither the stack nor the chain. An
/// example is `func count(n) { deferred { count(n + 1).startWith(n) } }`.
///
/// The subscriber is the subscription downstream. While it is paused, it starts no source except the first and hot ones. A source
/// that cannot be paused, such as `just`, would emit despite the pause, and so would every source after it. A hot source emits in
/// any case, and what it emits before it is subscribed to would be lost.
@usableFromInline
final class SequentialSubscriber<Element>: Sink<Element>, Cancelable, Pausable, @unchecked Sendable {
    private typealias Start = (Observable<Element>, SequentialSubscriber) -> Void

    private let current = SerialDisposable()
    private let pauseState = PauseState()
    private let downstream: Sink<Element>
    private let work = Atomic<Int>(0)

    // Accessed only by the thread that advances, or by the one running source.
    private var end: Event<Never>?
    private var isSourceDisposed = false
    private var top: SourceProvider<Element>?
    private var hasStarted = false
    /// The next source, if it waits for the resume.
    private var deferred: Observable<Element>?

    private init(to downstream: Sink<Element>) {
        self.downstream = downstream
    }

    deinit {
        // The list is released one provider at a time, because a long list that releases itself deepens the stack.
        while let provider = top { top = provider.below.take() }
    }

    /// Runs the sources of `provider` for `sink`. While sources end within this call, the next one is started with `run`,
    /// as a linear operator starts its source.
    @usableFromInline
    static func run(_ provider: SourceProvider<Element>, to sink: Sink<Element>) {
        let subscriber = sink as? SequentialSubscriber ?? SequentialSubscriber(to: sink)
        subscriber.push(provider)
        if subscriber !== sink { sink.begin(with: subscriber) }
        subscriber.advance { $0.run($1) }
    }

    // A source calls this within its subscribing call, and therefore on the thread that advances.
    private func push(_ provider: SourceProvider<Element>) {
        provider.below = top?.isDone == true ? top?.below : top
        top = provider
    }

    override func begin(with subscription: any Disposable & AnyObject) { current.disposable = subscription }
    override func next(_ element: Element) { downstream.next(element) }
    override func error(_ error: any Error) { ended(with: .error(error)) }
    override func completed() { ended(with: .completed) }

    private func ended(with end: Event<Never>) {
        // An operator such as `take` turns an element into the end, and its source does not know about that end. The
        // source must not continue until a loop further up the stack handles the end.
        isSourceDisposed = work.load(ordering: .acquiring) != 0
        if isSourceDisposed { current.disposable = Disposables.create() }
        self.end = end
        advance()
    }

    /// Continues with the next source. A nested call leaves this to the loop of the outer call.
    private func advance(_ start: Start = { $0.subscribe($1) }) {
        if work.add(1, ordering: .acquiringAndReleasing).oldValue == 0 { subscribeNext(start) }
    }

    private func subscribeNext(_ start: Start = { $0.subscribe($1) }) {
        repeat {
            if !step(start) { return }
        } while work.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }

    @usableFromInline var isDisposed: Bool { current.isDisposed }

    @usableFromInline
    func dispose() { current.dispose() }

    @usableFromInline
    func pause() {
        pauseState.begin()
        current.pause()
    }

    @usableFromInline
    func resume() {
        let (_, hasDeferredWork) = pauseState.end()
        current.resume()
        if hasDeferredWork { subscribeNext() }
    }

    /// Starts the next source, or ends the stream.
    ///
    /// - Returns: `false` if the source waits for the resume.
    private func step(_ start: Start) -> Bool {
        if let source = deferred.take() { return isDisposed || run(source, start) }
        while let provider = top {
            if isDisposed { return true }
            do {
                if let source = try provider.source(after: end, for: self) {
                    if isDisposed { return true }
                    // Disposes of the ended source here, before the thread that resumes can store the next one.
                    if end != nil, !isSourceDisposed { current.disposable = Disposables.create() }
                    end = nil
                    return run(source, start)
                }
                end = end ?? .completed
            } catch {
                end = .error(error)
            }
            top = provider.below
        }
        if isDisposed { return true }
        if let error = end?.error { downstream.error(error) } else { downstream.completed() }
        return true
    }

    private func run(_ source: Observable<Element>, _ start: Start) -> Bool {
        let isFirst = !exchange(&hasStarted, with: true)
        if !isFirst, !source.isHot {
            deferred = source
            if pauseState.defersDueWork() { return false }
            deferred = nil
        }
        start(source, self)
        return true
    }
}

/// Provides the sources of one operator in a ``SequentialSubscriber``.
@usableFromInline
class SourceProvider<Element> {
    typealias Downstream = SequentialSubscriber<Element>

    /// The provider of the next operator downstream.
    fileprivate final var below: SourceProvider?

    /// Whether the provider has provided its last source. It then passes every stop event on.
    var isDone: Bool { false }

    /// Returns the next source, or `nil` to pass the stop event on.
    ///
    /// - Parameter end: the stop event of the previous source, or `nil` at the beginning.
    func source(after end: Event<Never>?, for subscriber: Downstream) throws -> Observable<Element>? { nil }
}
