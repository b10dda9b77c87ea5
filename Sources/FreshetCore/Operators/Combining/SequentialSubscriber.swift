import Synchronization

/// Sources one at a time, with their elements handed on as they are: what `concat`, `startWith`, `andThen`, `catch` and
/// `retry` are made of.
///
/// Sources that run one at a time need no drain: a counter sees to it that one which ends within its subscribing call is
/// followed by the next from a loop, and not from a deeper call. Where one of these operators is the source of another,
/// it takes no sink of its own but becomes a ``SourceProvider`` of the one that is there, and a stage leaves with its last source.
/// So a stream that goes on with itself for ever, `func count(n) { deferred { count(n + 1).startWith(n) } }`, grows
/// neither the stack nor the chain.
///
/// It is the subscription downstream. While that is held no source is started but the first: one that cannot be held, such
/// as `just`, would speak all the same, and so would a million of them.
@usableFromInline
final class SequentialSubscriber<Element>: Sink<Element>, Cancelable, Pausable, @unchecked Sendable {
    private let current = SerialDisposable()
    private let hold = PauseState()
    private let downstream: Sink<Element>
    private let work = Atomic<Int>(0)

    // Touched by whoever is at work, or by the one source that runs.
    private var end: Event<Never>?
    private var isSourceDisposed = false
    private var top: SourceProvider<Element>?
    private var hasStarted = false

    private init(to downstream: Sink<Element>) {
        self.downstream = downstream
    }

    deinit {
        // One by one, for a long list that lets go of itself deepens the stack.
        while let stage = top { top = stage.below.take() }
    }

    /// Runs the sources of `stage` for `sink`; as a linear operator runs its source, as long as they end within the call.
    @usableFromInline
    static func run(_ stage: SourceProvider<Element>, to sink: Sink<Element>) {
        entered(stage, to: sink).advance { $0.run($1) }
    }

    /// The succession that `stage` takes part in; `sink` has its subscription.
    static func entered(_ stage: SourceProvider<Element>, to sink: Sink<Element>) -> SequentialSubscriber {
        if let subscriber = sink as? SequentialSubscriber {
            subscriber.push(stage)
            return subscriber
        }
        let subscriber = SequentialSubscriber(to: sink)
        subscriber.top = stage
        sink.begin(with: subscriber)
        return subscriber
    }

    // Called within the subscribing call of a source, and so by whoever is at work.
    private func push(_ stage: SourceProvider<Element>) {
        stage.below = top?.isDone == true ? top?.below : top
        top = stage
    }

    override func begin(with subscription: any Disposable & AnyObject) { current.disposable = subscription }
    override func next(_ element: Element) { downstream.next(element) }
    override func error(_ error: any Error) { ended(with: .error(error)) }
    override func completed() { ended(with: .completed) }

    private func ended(with end: Event<Never>) {
        // An operator that made the end of an element has a source that knows nothing of it, and must not go on until a
        // loop further up the stack comes to it.
        isSourceDisposed = work.load(ordering: .acquiring) != 0
        if isSourceDisposed { current.disposable = Disposables.create() }
        self.end = end
        advance()
    }

    /// Goes on with the next source; later, if that is asked for from inside.
    private func advance(_ start: (Observable<Element>, SequentialSubscriber) -> Void = { $0.subscribe($1) }) {
        if work.add(1, ordering: .acquiringAndReleasing).oldValue == 0 { subscribeNext(start) }
    }

    private func subscribeNext(_ start: (Observable<Element>, SequentialSubscriber) -> Void = { $0.subscribe($1) }) {
        repeat {
            if hasStarted, hold.isOn {
                // Before the next source can come from the thread that resumes.
                current.disposable = Disposables.create()
                if hold.putsOff() { return }
            }
            hasStarted = true
            step(start)
        } while work.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }

    @usableFromInline var isDisposed: Bool { current.isDisposed }

    @usableFromInline
    func dispose() { current.dispose() }

    @usableFromInline
    func pause() {
        hold.begin()
        current.pause()
    }

    @usableFromInline
    func resume() {
        let (_, isLate) = hold.end()
        current.resume()
        if isLate { subscribeNext() }
    }

    private func step(_ start: (Observable<Element>, SequentialSubscriber) -> Void) {
        while let stage = top {
            if isDisposed { return }
            do {
                if let source = try stage.source(after: end, for: self) {
                    if isDisposed { return }
                    if end?.error != nil, !isSourceDisposed { current.disposable = Disposables.create() }
                    end = nil
                    return start(source, self)
                }
                end = end ?? .completed
            } catch {
                end = .error(error)
            }
            top = stage.below
        }
        if isDisposed { return }
        if let error = end?.error { downstream.error(error) } else { downstream.completed() }
    }
}

/// One operator's part in a ``SequentialSubscriber``.
@usableFromInline
class SourceProvider<Element> {
    /// The stage of the operator that this one's is the source of.
    fileprivate final var below: SourceProvider?

    /// Whether it has given its last source, of which it lets every end pass.
    var isDone: Bool { false }

    /// The source to go on with, or `nil` to let the end pass.
    ///
    /// - Parameter end: how the source before has ended; `nil` at the beginning.
    func source(after end: Event<Never>?, for subscriber: SequentialSubscriber<Element>) throws -> Observable<Element>?
    { nil }
}
