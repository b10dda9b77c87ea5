import Synchronization

extension ObservableType {
    /// Calls the closures at the events of the stream, and passes the events on unchanged. An error that a closure
    /// throws ends the stream. Source: RxSwift's `do`.
    ///
    /// The `on…` closures are called before the event passes downstream, and the `after…` closures after it.
    /// `onDispose` is called once, however the subscription ends. It is called after the subscription to the source has
    /// been disposed of, after `onSubscribed`, and after the `after…` closure of the stop event.
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        let source = asObservable()
        let attach = { (downstream: Sink<Element>, ending: DoEnding?) -> Sink<Element> in
            let sink = DoSink(to: downstream, ending)
            sink.onNext = onNext
            sink.afterNext = afterNext
            sink.onError = onError
            sink.afterError = afterError
            sink.onCompleted = onCompleted
            sink.afterCompleted = afterCompleted
            return sink
        }
        guard let onSubscribed else {
            return source.linear { downstream in
                onSubscribe?()
                return attach(downstream, onDispose.map { DoEnding(holders: 1, $0) })
            }
        }
        return Producer(after: source) { downstream in
            onSubscribe?()
            let ending = onDispose.map { DoEnding(holders: 2, $0) }
            source.subscribe(attach(downstream, ending))
            onSubscribed()
            ending?.release()
        }
    }
}

private final class DoSink<Element>: OperatorSink<Element, Element> {
    var onNext: ((Element) throws -> Void)?
    var afterNext: ((Element) throws -> Void)?
    var onError: ((any Error) throws -> Void)?
    var afterError: ((any Error) throws -> Void)?
    var onCompleted: (() throws -> Void)?
    var afterCompleted: (() throws -> Void)?
    private let ending: DoEnding?
    /// Set if a closure is called before or after an event, because the closure or the delivery of the element can
    /// dispose of the subscription.
    private var subscription: SingleAssignmentDisposable?
    private var hasEnded = false

    init(to downstream: Sink<Element>, _ ending: DoEnding?) {
        self.ending = ending
        super.init(to: downstream)
    }

    override func begin(with source: any Disposable & AnyObject) {
        var subscription = source
        if onNext != nil || afterNext != nil || onError != nil || onCompleted != nil {
            let slot = SingleAssignmentDisposable()
            slot.setDisposable(source)
            self.subscription = slot
            subscription = slot
        }
        guard let ending else { return downstream.begin(with: subscription) }
        downstream.begin(with: DoSubscription(subscription, ending))
    }

    override func next(_ element: Element) {
        do {
            try onNext?(element)
            if !isDisposed { downstream.next(element) }
            try afterNext?(element)
        } catch {
            end(with: .error(error))
        }
    }

    override func error(_ error: any Error) {
        let ending = afterError == nil ? nil : ending
        ending?.retain()
        defer { ending?.release() }
        do {
            try onError?(error)
            end(with: .error(error))
            try afterError?(error)
        } catch {
            end(with: .error(error))
        }
    }

    override func completed() {
        let ending = afterCompleted == nil ? nil : ending
        ending?.retain()
        defer { ending?.release() }
        do {
            try onCompleted?()
            end(with: .completed)
            try afterCompleted?()
        } catch {
            end(with: .error(error))
        }
    }

    // An `after…` closure can throw after a stop event, and downstream receives only one stop event.
    private func end(with event: Event<Element>) {
        if hasEnded || isDisposed { return }
        hasEnded = true
        downstream.on(event)
    }

    private var isDisposed: Bool { subscription?.isDisposed == true }
}

/// Calls `onDispose` as the last closure. It waits for the end of the subscription, for the `after…` closure of a stop
/// event that is being delivered, and for the subscribing call if `onSubscribed` follows it.
private final class DoEnding: Sendable {
    private let holders: Atomic<Int>
    private let action: any Disposable

    init(holders: Int, _ action: @escaping @Sendable () -> Void) {
        self.holders = Atomic(holders)
        self.action = Disposables.create(with: action)
    }

    func retain() {
        holders.add(1, ordering: .relaxed)
    }

    func release() {
        if holders.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action.dispose() }
    }
}

private final class DoSubscription: Pausable {
    private let subscription: any Disposable
    private let ending: DoEnding
    private let hasEnded = Atomic<Bool>(false)

    init(_ subscription: any Disposable, _ ending: DoEnding) {
        self.subscription = subscription
        self.ending = ending
    }

    func dispose() {
        if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
        subscription.dispose()
        ending.release()
    }

    func pause() { (subscription as? any Pausable)?.pause() }
    func resume() { (subscription as? any Pausable)?.resume() }
}
